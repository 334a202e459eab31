/**
 * What a language model may do: list the checks, verify somebody, submit and follow a batch, read the documentation. Values in records are masked, as for
 * people who have not given a reason. A tool that costs money returns the price first, and acts only with `confirm: true`.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { jobInput } from '../../batches/submit-job.ts';
import { answeringCheck, askedCheck, checks } from '../../checks/catalog.ts';
import { masked } from '../../contract/masking.ts';
import { ApiError } from '../../foundation/errors.ts';
import { search } from '../docs/search.ts';
import type { Site } from '../docs/site.ts';

/** Calls the API with the credentials of the client. */
export type CallApi = (path: string, init?: RequestInit) => Promise<Response>;

const ROWS_MAX = 1_000;
const LINES_MAX = 50;
const WAIT_SECONDS = 30;
const PRICES_REFUSED =
  'This key may not read prices (scope wallet:read). Without confirm, verify and submit_batch say what they would cost.';
const PAGE_CHARACTERS_MAX = 40_000;

const INSTRUCTIONS = `Confam verifies Nigerian identities, companies and risk signals. Start with list_checks. A tool that costs money states the price first;
ask the person you work for before you repeat it with confirm: true. Personal data is masked: send people to the console for values in clear.`;

const confirm = z.boolean().default(false).describe('True only when the person you work for has agreed to the price');
/** Strict, because ids become part of a path. With any other text, a request could reach a path that costs money or shows what these tools hide. */
const batchId = z.string().regex(/^bat_[0-9a-f]{32}$/);
const jobId = z.string().regex(/^job_[0-9a-f]{32}$/);
const reads = { readOnlyHint: true, openWorldHint: false };
const spends = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };

/** `readSite`: the documentation. */
export function openMcpServer(call: CallApi, readSite: () => Promise<Site>): McpServer {
  const server = new McpServer({ name: 'confam', version: '1' }, { instructions: INSTRUCTIONS });
  registerChecks(server, call);
  registerBatches(server, call);
  registerDocumentation(server, readSite);
  return server;
}

function registerChecks(server: McpServer, call: CallApi): void {
  server.registerTool(
    'list_checks',
    {
      title: 'List the checks',
      description: 'Every check that this key may run: id, what it verifies, its inputs, and its price in naira if the key may read prices',
      inputSchema: z.strictObject({}),
      annotations: reads,
    },
    async () => {
      const [known, prices] = await Promise.all([call('/api/v1/checks').then(entityOf), call('/api/v1/prices').then(entityOf)]);
      if ('refused' in known) return known.refused;
      const shown = dataOf(known).map(({ id, summary, available, inputs, samples }) => ({ id, summary, available, inputs, samples }));
      return answered({ checks: shown, prices: 'refused' in prices ? PRICES_REFUSED : dataOf(prices) });
    },
  );

  server.registerTool(
    'verify',
    {
      title: 'Verify one subject',
      description:
        'Runs one check. Without confirm it only says what that costs. Nothing is charged if the subject is not on record. Values in the answer are masked. job_status follows a job that is still running.',
      inputSchema: z.strictObject({
        check: z.string().describe('An id from list_checks'),
        input: z.record(z.string(), z.unknown()).describe('The inputs of the check, by name'),
        reference: z.string().max(200).optional().describe('Your own reference; no personal data'),
        confirm,
      }),
      annotations: spends,
    },
    async ({ check, input, reference, confirm: isConfirmed }) => {
      if (!isConfirmed) return refusalOfJob(check, input) ?? priced(call, '/api/v1/batches/quote', { checks: [check], rows: [input] });
      const headers = { Prefer: `wait=${WAIT_SECONDS}` };
      const job = await entityOf(await post(call, '/api/v1/jobs', { check, input, ...(reference && { reference }) }, headers));
      return 'refused' in job ? job.refused : readJob(call, `${job.entity.id}`);
    },
  );

  server.registerTool(
    'job_status',
    {
      title: 'How far a check is',
      description: `The job of a check that verify started, with its result, masked; waits up to ${WAIT_SECONDS} s for its end`,
      inputSchema: z.strictObject({ id: jobId }),
      annotations: reads,
    },
    ({ id }) => readJob(call, `${id}?wait=${WAIT_SECONDS}`),
  );
}

function registerBatches(server: McpServer, call: CallApi): void {
  server.registerTool(
    'submit_batch',
    {
      title: 'Submit a batch',
      description: `Runs checks on up to ${ROWS_MAX} rows. Without confirm it only says what the rows cost and what is wrong with them. Files belong in the console.`,
      inputSchema: z.strictObject({
        checks: z.array(z.string()).min(1).max(20).describe('Ids from list_checks'),
        rows: z
          .array(z.record(z.string(), z.unknown()))
          .min(1)
          .max(ROWS_MAX)
          .describe('Objects whose members are the inputs of the checks, and reference'),
        reference: z.string().max(200).optional(),
        confirm,
      }),
      annotations: spends,
    },
    async ({ confirm: isConfirmed, ...batch }) => {
      if (!isConfirmed) return priced(call, '/api/v1/batches/quote', batch);
      const made = await entityOf(await post(call, '/api/v1/batches', batch));
      return 'refused' in made ? made.refused : answered(made.entity);
    },
  );

  server.registerTool(
    'batch_status',
    {
      title: 'How far a batch is',
      description: 'State, counts and cost of a batch; waits for its end if asked to',
      inputSchema: z.strictObject({ id: batchId, wait: z.boolean().default(false) }),
      annotations: reads,
    },
    async ({ id, wait }) => {
      const read = await entityOf(await call(`/api/v1/batches/${id}${wait ? `?wait=${WAIT_SECONDS}` : ''}`));
      return 'refused' in read ? read.refused : answered(read.entity);
    },
  );

  server.registerTool(
    'batch_results',
    {
      title: 'Results of a batch',
      description: `Up to ${LINES_MAX} results of a batch, masked; next_cursor continues`,
      inputSchema: z.strictObject({
        id: batchId,
        outcome: z.enum(['found', 'not_found', 'failed']).optional(),
        cursor: z.string().optional(),
      }),
      annotations: reads,
    },
    async ({ id, outcome, cursor }) => {
      const query = new URLSearchParams({ limit: String(LINES_MAX), ...(cursor && { cursor }) });
      if (outcome === 'failed') query.set('status', 'failed');
      else if (outcome) query.set('outcome', outcome);
      const read = await entityOf(await call(`/api/v1/batches/${id}/jobs?${query}`));
      if ('refused' in read) return read.refused;
      const { data, next_cursor } = read.entity as { data: Entity[]; next_cursor: string | null };
      return answered({ results: data.map(maskedJob), next_cursor });
    },
  );
}

function registerDocumentation(server: McpServer, readSite: () => Promise<Site>): void {
  server.registerTool(
    'search_docs',
    {
      title: 'Search the documentation',
      description: 'Sections of the documentation that have all of the words',
      inputSchema: z.strictObject({ words: z.string().max(200) }),
      annotations: reads,
    },
    async ({ words }) => {
      const textOf = (excerpt: readonly { text: string }[]) => excerpt.map(({ text }) => text).join('');
      const found = search(await readSite(), words);
      return answered(found.map(({ page, title, heading, excerpt }) => ({ page, title, heading, excerpt: textOf(excerpt) })));
    },
  );

  server.registerTool(
    'read_doc',
    {
      title: 'Read a page of the documentation',
      description: 'A page as Markdown, by the name that search_docs gives',
      inputSchema: z.strictObject({ page: z.string().max(100) }),
      annotations: reads,
    },
    async ({ page }) => {
      const site = await readSite();
      const found = site.page(page);
      if (found) return textAnswer(found.source.slice(0, PAGE_CHARACTERS_MAX));
      const names = site.pages().map(({ name }) => name);
      return textAnswer(`There is no page "${page}". Pages: ${names.join(', ')}`, true);
    },
  );
}

type Entity = Record<string, unknown>;
type Answer = { content: { type: 'text'; text: string }[]; isError?: boolean };

const textAnswer = (text: string, isError = false): Answer => ({ content: [{ type: 'text', text }], ...(isError && { isError }) });
const answered = (value: unknown): Answer => textAnswer(JSON.stringify(value));

const post = (call: CallApi, path: string, body: unknown, headers: Record<string, string> = {}) =>
  call(path, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) });

const refusal = ({ code, error, details }: { code?: string; error?: string; details?: unknown }): Answer =>
  textAnswer(JSON.stringify({ code, error, details }), true);

/** The entity, or the refusal as the API words it. */
async function entityOf(answer: Response): Promise<{ entity: Entity } | { refused: Answer }> {
  const body = (await answer.json()) as { entity?: Entity; code?: string; error?: string; details?: unknown };
  if (answer.ok && body.entity) return { entity: body.entity };
  return { refused: refusal(body) };
}

async function readJob(call: CallApi, idAndQuery: string): Promise<Answer> {
  const read = await entityOf(await call(`/api/v1/jobs/${idAndQuery}`));
  return 'refused' in read ? read.refused : answered(maskedJob(read.entity));
}

/** Why no job with this input could be submitted. The quote reads it as a row of a file, which may be written more freely. */
function refusalOfJob(id: string, input: Record<string, unknown>): Answer | null {
  try {
    const { check, raw } = answeringCheck(askedCheck(id, 'check'), input);
    jobInput(check, raw, null);
    return null;
  } catch (error) {
    if (error instanceof ApiError) return refusal({ code: error.code, error: error.message, details: error.details });
    throw error;
  }
}

const dataOf = ({ entity }: { entity: Entity }): Entity[] => (entity.data ?? []) as Entity[];

async function priced(call: CallApi, path: string, body: unknown): Promise<Answer> {
  const quote = await entityOf(await post(call, path, body));
  if ('refused' in quote) return quote.refused;
  const isRunnable = (quote.entity.counts as { jobs: number }).jobs > 0;
  const note = isRunnable
    ? 'Nothing was done. Repeat with confirm: true to spend this.'
    : 'Nothing was done, and nothing can be: see errors.';
  return answered({ ...quote.entity, note });
}

function maskedJob(job: Entity): Entity {
  const images = checks.find(({ id }) => id === job.check)?.images ?? [];
  return { ...job, result: masked(job.result, images), masked: true };
}
