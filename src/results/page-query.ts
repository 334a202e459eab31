/** The statements that copy a page of a batch out of the database. COPY takes no parameters, so everything in their text is a number, an id of ours or a validated time. */
import type { RowRange } from '../batches/row-blocks.ts';
import type { BatchRow } from '../contract/batches.ts';
import type { Outcome } from '../contract/results.ts';
import { jobIdsOf, twinJoin } from '../jobs/job.ts';
import type { FieldType } from './copy-reader.ts';

/** Selects rows with at least one matching job. */
export interface ResultFilter {
  /** Null: all outcomes. */
  outcomes: readonly Outcome[] | null;
  /** Validated ISO time with offset: rows with a job that ended at that time or later. Null: from the beginning. */
  since: string | null;
}

/** Which rows, and whether as a table: without images, times and ids. */
export interface Wanted extends ResultFilter {
  isTable: boolean;
}

/** What a column of a page depends on. */
interface Selecting {
  batch: BatchRow;
  isTable: boolean;
  /** A column of the job's result, where it is stored by itself. Few are, so they are looked up one by one. */
  alone(column: string): string;
}

type Column = readonly [type: FieldType, select: (selecting: Selecting) => string];

/** The columns of a page: their types, and what is selected from `x`, a job with what it shows of its original. */
const JOB_COLUMNS = {
  block: ['uuid', () => 'x.block'],
  row: ['int', () => 'x.row_number'],
  check: ['int', ({ batch }) => `array_position('{${batch.checks.join()}}'::text[], x.check_id) - 1`],
  id: ['uuid', ({ isTable }) => (isTable ? 'case when x.block is null or x.input is not null then x.id end' : 'x.id')],
  // The state of a job, from `status` to `isOver`, is read as one.
  status: ['ascii', () => 'x.status::text'],
  outcome: ['ascii', () => 'x.outcome::text'],
  errorCode: ['ascii', () => 'x.error_code'],
  cached: ['bool', () => 'x.cached'],
  billedKobo: ['int', () => 'x.billed_kobo'],
  isOver: ['bool', () => 'x.completed_at is not null'],
  completedAt: ['instant', ({ isTable }) => (isTable ? 'null::timestamptz' : 'x.completed_at')],
  reference: ['text', ({ isTable }) => (isTable ? 'null::text' : 'x.reference')],
  about: ['bytea', ({ isTable }) => (isTable ? 'null::bytea' : 'x.about')],
  twinRow: ['int', () => 'x.twin_row'],
  entityOf: ['uuid', () => 'nullif(x.entity_of, x.id)'],
  entity: ['bytea', ({ alone }) => alone('entity')],
  entityImages: ['bytea', ({ isTable, alone }) => (isTable ? 'null::bytea' : alone('entity_images'))],
  resultSlot: ['int', () => 'x.slot::int'],
  input: ['bytea', ({ batch }) => `case when x.check_id = '${batch.checks[0]}' then x.input end`],
} as const satisfies Record<string, Column>;

type JobFields = { readonly [Name in keyof typeof JOB_COLUMNS]: (typeof JOB_COLUMNS)[Name][0] };

/** The types of the columns that `pageQuery` selects. */
export const JOB_FIELDS = Object.fromEntries(Object.entries(JOB_COLUMNS).map(([name, [type]]) => [name, type])) as JobFields;

/** The wanted jobs of these rows, in order. */
export function pageQuery(batch: BatchRow, { outcomes, since, isTable }: Wanted, { from, to }: RowRange): string {
  const hasTwins = batch.duplicate > 0;
  const ids = jobIdsOf(batch.id);
  const within = (column: string) => `${column} >= '${ids.from}' and ${column} < '${ids.before}'`;
  const own = (column: string) => (hasTwins ? `coalesce(t.${column}, j.${column})` : `j.${column}`);
  const ofTwin = (column: string) => (hasTwins ? `case when t.id is null then j.${column} else t.${column} end` : `j.${column}`);
  const conditions = [
    outcomes === null ? null : `(${outcomes.map((outcome) => condition[outcome](own('status'), ofTwin)).join(' or ')})`,
    since === null ? null : `${ofTwin('completed_at')} >= '${since}'::timestamptz`,
  ].filter((text) => text !== null);
  const isWanted =
    conditions.length === 0 ? 'true' : `bool_or(coalesce(${conditions.join(' and ')}, false)) over (partition by j.row_number)`;
  const alone = (column: string) =>
    `case when x.block is null and x.outcome is not null then (select r.${column} from results r where r.job_id = x.entity_of and ${within('r.job_id')}) end`;
  return `
    select ${Object.values<Column>(JOB_COLUMNS)
      .map(([, select]) => select({ batch, isTable, alone }))
      .join(', ')}
    from (
      select j.row_number, j.check_id, j.id, j.status, ${ofTwin('outcome')} as outcome, ${ofTwin('error_code')} as error_code,
        ${own('cached')} as cached, j.billed_kobo, ${ofTwin('completed_at')} as completed_at, j.reference, j.about, j.twin_row, j.input,
        ${own('id')} as entity_of, ${own('result_block')} as block, ${own('result_slot')} as slot, ${isWanted} as wanted
      from jobs j ${hasTwins ? `${twinJoin} and ${within('t.id')}` : ''}
      where j.batch_id = '${batch.id}' and ${within('j.id')} and j.row_number between ${from} and ${to}) x
    where x.wanted order by x.row_number, x.check_id`;
}

/** SQL over `j`. `status` is an expression for the job's own or its original's, and `ofTwin` makes one of another column. Invalid rows have no jobs. */
const condition: Record<Outcome, (status: string, ofTwin: (column: string) => string) => string> = {
  found: (_, ofTwin) => `${ofTwin('outcome')} = 'found'`,
  not_found: (_, ofTwin) => `${ofTwin('outcome')} = 'not_found'`,
  flagged: (_, ofTwin) => ofTwin('flagged'),
  failed: (status) => `${status} = 'failed'`,
  canceled: (status) => `${status} = 'canceled'`,
  duplicate: () => `j.status = 'duplicate'`,
  pending: (status) => `${status} in ('queued', 'leased')`,
  invalid: () => 'false',
};

export const resultBlocksQuery = (batchId: string, ids: ReadonlySet<string>): string =>
  `select id, sealed from result_blocks where batch_id = '${batchId}' and id = any('{${[...ids].join()}}'::uuid[])`;
