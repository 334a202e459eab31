/** What a key or a person may be allowed to do in an app. Each route declares the scope that it needs. */

/** Every scope with the sentence that the documentation and the console show. */
export const scopes = {
  verify: 'Make single calls, and enrol portraits in the sandbox.',
  'batches:write': 'Quote, submit, start, pause, resume, retry and cancel jobs and batches.',
  'results:read': 'Read batches, jobs and monitors; for a key also what they found, and with `webhooks` have it sent to an endpoint.',
  reveal: 'See and download personal data: a person needs it besides `results:read`.',
  reviews: 'Comment on and decide review cases, clear hits, end monitors.',
  approve: 'Approve what somebody else has asked for.',
  webhooks: 'Read and change webhook endpoints, and redeliver messages; with results in them only together with `results:read`.',
  'wallet:read': 'Read balances, entries, statements, prices and usage.',
  keys: 'Read, create, rotate and revoke API keys.',
  people: 'Read, invite, change and remove the people of the app.',
  privacy: 'Delete batches and jobs, place legal holds, set retention, erase and export what is kept about a person.',
  'audit:read': 'Read and export the audit trail.',
} as const;

export type Scope = keyof typeof scopes;
