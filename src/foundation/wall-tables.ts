/**
 * The second wall: which app each table's rows belong to, and what each role may do with the table. `raiseWall` (`wall.ts`) grants and forbids by this declaration alone,
 * so only its owner can use a table that is missing here; `test/access/second-wall.test.ts` checks that.
 */

/**
 * `confam_service`: the API and the dispatcher, for all apps. `confam_worker`: the pools, for all apps. `confam_tenant`: requests of one app, for its rows.
 */
export const ROLES = { service: 'confam_service', worker: 'confam_worker', tenant: 'confam_tenant' } as const;

/** For BullMQ, which has a schema of its own and creates sequences in it. This role can use nothing else. */
export const QUEUE_ROLE = 'confam_queue';

export type Part = keyof typeof ROLES;

/** Privileges by their first letters: select, insert, update, delete. */
type May = Readonly<Record<Part, '' | 's' | 'si' | 'su' | 'siu' | 'sid' | 'siud'>>;

/** Which app a row belongs to. */
type Belonging =
  /** To the app in `column`; a row without one to the deployment. */
  | { kind: 'tenant'; column: string }
  /**
   * To the app of the parent's row. A column of its own would cost every result and every row of an upload 16 bytes; the roles that write these in bulk see all
   * apps, so that only reads of one app's requests look the parent up.
   */
  | { kind: 'inherited'; column: string; parent: string }
  /** To no app: published lists, the state of vendors and processes, answers that are found by a keyed HMAC only. */
  | { kind: 'shared' }
  /** To the deployment: people, who may belong to several apps, and what their signing in leaves. Requests of one app never see it. */
  | { kind: 'deployment' }
  /** To the deployment, but requests of an app read these columns of the rows that the condition names. */
  | { kind: 'partly'; columns: readonly string[]; rows: string };

export type Walled = Belonging & { may: May };

const may = (service: May['service'], worker: May['worker'], tenant: May['tenant']): May => ({ service, worker, tenant });

const tenant = (granted: May, column = 'app_id'): Walled => ({ kind: 'tenant', column, may: granted });
const inherited = (parent: string, column: string, granted: May): Walled => ({ kind: 'inherited', parent, column, may: granted });
const shared = (granted: May): Walled => ({ kind: 'shared', may: granted });
/** The pools do not know people's names. */
const deployment = (): Walled => ({ kind: 'deployment', may: may('siud', '', '') });

const work = may('siud', 'siud', 'siud');

export const WALLED_TABLES: Readonly<Record<string, Walled>> = {
  // Locked by what must happen once at a time in an app, which takes the right to update.
  apps: tenant(may('siud', 's', 'su'), 'id'),
  api_keys: tenant(may('siud', '', 'siu')),
  links: tenant(may('siud', '', 'siu')),
  idempotency_keys: tenant(may('siud', '', 'siud')),
  miss_counts: shared(may('siud', 'siud', '')),
  request_counts: shared(may('siud', '', '')),
  request_log: tenant(may('siud', '', 's')),
  // A request that deletes a job or batch deletes the approvals about it.
  approvals: tenant(may('siud', 's', 'siud')),
  reveals: tenant(may('siud', '', 'si')),
  // Opened where jobs and calls are settled.
  reviews: tenant(may('siud', 'si', 'su')),
  review_notes: inherited('reviews', 'review_id', may('siud', '', 'si')),

  batches: tenant(work),
  batch_history: inherited('batches', 'batch_id', may('siud', 'si', 'si')),
  batch_samples: inherited('batches', 'batch_id', may('siud', 'si', 's')),
  lanes: tenant(work),
  // The next update of the batch folds these.
  lease_counts: tenant(work),
  saved_mappings: tenant(may('siud', '', 'siud')),
  invalid_rows: inherited('batches', 'batch_id', may('siud', 's', 'si')),
  row_blocks: inherited('batches', 'batch_id', may('siud', 's', 'si')),
  // Requests commit the key of a batch with it, and destroy it with its deletion.
  data_keys: tenant(may('siud', 'siu', 'sid')),
  jobs: tenant(work),
  waiting_jobs: tenant(work),
  results: inherited('jobs', 'job_id', may('siud', 'siud', 's')),
  result_blocks: inherited('batches', 'batch_id', may('siud', 'siud', 's')),
  // Requests ask for a deletion; the sweeper does it.
  deletions: tenant(may('siu', '', 'si')),
  // The operator's: a deleted app makes no more requests.
  app_deletions: tenant(may('siu', '', '')),
  // Written by `confam backup`, which is the owner.
  backups: shared(may('s', '', '')),
  erasures: tenant(may('siud', '', 'si')),
  subject_exports: tenant(may('siud', '', 'si')),
  subject_holds: tenant(may('siud', '', 'siu')),
  // Requests lift holds.
  held_places: inherited('subject_holds', 'hold_id', may('siud', '', 'sid')),
  row_marks: inherited('batches', 'batch_id', may('siud', '', 's')),
  consent_withdrawals: tenant(may('siud', 's', 'si')),
  chunks: tenant(may('siud', 'siud', 's')),
  cache_records: shared(may('siud', 'siud', '')),
  leads: shared(may('siud', '', '')),
  processes: shared(may('siud', 'siud', 's')),

  wallets: tenant(may('siud', 'su', 'su')),
  holds: tenant(may('siud', 'siu', 'siu')),
  // Append-only, by triggers as well.
  ledger_entries: tenant(may('si', 'si', 'si')),
  price_overrides: tenant(may('siud', 's', 's')),
  usage_days: tenant(may('siud', 'siu', 's')),

  // A request that deletes a job or batch deletes the messages about it by a function, `delete_events_about`.
  events: tenant(may('siud', 'siu', 'si')),
  webhook_endpoints: tenant(may('siud', 'su', 'siu')),
  deliveries: tenant(may('siud', 'siud', 'siu')),
  delivery_attempts: inherited('deliveries', 'delivery_id', may('siud', 'si', 's')),

  aml_lists: shared(may('siud', 'siud', 's')),
  aml_list_versions: shared(may('siud', 'siud', 's')),
  aml_entries: shared(may('siud', 'siud', 's')),
  aml_rescreens: shared(may('siud', 'siud', '')),
  aml_clearances: tenant(may('siud', 's', 'siu')),
  aml_monitors: tenant(may('siud', 'siu', 'su')),
  aml_monitor_hits: inherited('aml_monitors', 'monitor_id', may('siud', 'si', 's')),
  sandbox_portraits: tenant(may('siud', 's', 'siud')),

  provider_states: shared(may('siud', 'siud', '')),
  provider_lookups: inherited('jobs', 'job_id', may('siud', 'si', 's')),
  provider_days: shared(may('siud', 'siu', '')),
  pending_lookups: shared(may('siud', 'siud', '')),

  // Only the function `audit_append` writes entries and heads.
  audit_entries: tenant(may('s', '', 's')),
  audit_heads: tenant(may('s', '', 's')),
  audit_seals: tenant(may('siu', '', '')),

  app_people: tenant(may('siud', '', 's')),
  people: {
    kind: 'partly',
    // Approvals name who asked and who decided, also those who have left the app. Names and addresses are ciphertext. Links end when their person is disabled.
    columns: ['id', 'name', 'email', 'disabled_at'],
    rows: `exists (select from public.app_people own where own.person_id = people.id)
      or exists (select from public.approvals own where people.id in (own.asked_person, own.decided_by))`,
    may: may('siud', '', ''),
  },
  person_links: deployment(),
  recovery_codes: deployment(),
  passkeys: deployment(),
  sessions: deployment(),
  sign_in_challenges: deployment(),
  sign_in_failures: deployment(),
};

/**
 * Functions that run as their owner, with a fixed search path, because no role may write those rows or change those tables, because workers may not read keys and
 * people, or because a policy would keep an index from being used.
 */
export const WALLED_FUNCTIONS: Readonly<Record<string, readonly Part[]>> = {
  'audit_append(jsonb)': ['service', 'worker', 'tenant'],
  'audit_create_partitions()': ['service', 'worker'],
  'delete_events_about(text[])': ['service', 'tenant'],
  'endpoint_makers(uuid[])': ['service', 'worker', 'tenant'],
  'create_month_partitions()': ['service'],
  'drop_empty_partitions()': ['service'],
  'batches_of_deleted_months()': ['service'],
  'drop_deleted_partition()': ['service'],
};
