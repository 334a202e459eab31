/** Every column that holds ciphertexts: what each is bound to, and whose key seals it. A test compares it with the tables. */

export interface SealedColumn {
  table: string;
  column: string;
  /** The primary key: column → type. */
  key: Readonly<Record<string, string>>;
  purpose: string;
  /** SQL over the row `t` and `join`: the text that the ciphertext is bound to, its app and its batch. */
  bound: string;
  app: string;
  batch: string;
  join: string;
  /** How many are sealed in one transaction: fewer where they are pictures. */
  step: number;
}

interface Table {
  key: SealedColumn['key'];
  app?: string;
  batch?: string;
  join?: string;
  /** Column → what its ciphertext is for, and is bound to. */
  columns: Readonly<Record<string, readonly [purpose: string, bound: string]>>;
}

const id = { id: 'uuid' };
const shown = (prefix: string, column = 't.id') => `'${prefix}_' || replace(${column}::text, '-', '')`;
const ofBatch = { batch: 't.batch_id', app: 'o.app_id', join: 'join batches o on o.id = t.batch_id' };
const person = { key: id };

const TABLES: Readonly<Record<string, Table>> = {
  jobs: {
    key: id,
    app: 't.app_id',
    batch: 't.batch_id',
    columns: { about: ['about', shown('job')], input: ['input', 't.id::text'], images: ['images', 't.id::text'] },
  },
  results: {
    key: { job_id: 'uuid' },
    app: 'o.app_id',
    batch: 'o.batch_id',
    join: 'join jobs o on o.id = t.job_id',
    columns: { entity: ['entity', 't.job_id::text'], entity_images: ['entity_images', 't.job_id::text'] },
  },
  result_blocks: { key: { batch_id: 'uuid', id: 'uuid' }, ...ofBatch, columns: { sealed: ['result_block', "t.batch_id || ':' || t.id"] } },
  row_blocks: { key: { batch_id: 'uuid', block: 'int' }, ...ofBatch, columns: { rows: ['rows', "t.batch_id || ':' || t.block"] } },
  invalid_rows: {
    key: { batch_id: 'uuid', row_number: 'int' },
    ...ofBatch,
    columns: { input: ['invalid_row', "t.batch_id || ':' || t.row_number"] },
  },
  batches: { key: id, app: 't.app_id', batch: 't.id', columns: { about: ['about', shown('bat')] } },
  saved_mappings: { key: { app_id: 'uuid', id: 'uuid' }, app: 't.app_id', columns: { content: ['mapping', 't.id::text'] } },
  cache_records: { key: { key: 'bytea' }, columns: { record: ['record', "encode(t.key, 'base64')"] } },
  pending_lookups: {
    key: { key: 'bytea', tier: 'smallint' },
    columns: { ticket: ['ticket', "encode(t.key, 'base64')"], answer: ['answer', "encode(t.key, 'base64')"] },
  },
  // What the client said about a batch keeps the batch's key, as at its source.
  events: {
    key: id,
    app: 't.app_id',
    batch: `case when t.data ->> 'monitor' is null and t.data ->> 'id' ~ '^bat_[0-9a-f]{32}$' then substr(t.data ->> 'id', 5)::uuid end`,
    columns: { about: ['about', "coalesce(t.data ->> 'monitor', t.data ->> 'id')"] },
  },
  delivery_attempts: {
    key: { delivery_id: 'uuid', attempt: 'smallint' },
    app: 'o.app_id',
    join: 'join deliveries o on o.id = t.delivery_id',
    columns: { excerpt: ['excerpt', "t.delivery_id || ':' || t.attempt"] },
  },
  apps: { key: id, app: 't.id', columns: { webhook_secret: ['webhook_secret', 't.id::text'] } },
  webhook_endpoints: {
    key: id,
    app: 't.app_id',
    columns: { secret: ['endpoint_secret', 't.id::text'], previous_secret: ['endpoint_secret', 't.id::text'] },
  },
  aml_clearances: {
    key: id,
    app: 't.app_id',
    columns: { source: ['clearance_source', 't.id::text'], note: ['clearance', 't.id::text'] },
  },
  aml_monitors: {
    key: id,
    app: 't.app_id',
    columns: { input: ['monitor', "t.app_id || ' ' || t.live::text || ' ' || encode(t.subject, 'base64')"] },
  },
  aml_monitor_hits: {
    key: id,
    app: 'o.app_id',
    join: 'join aml_monitors o on o.id = t.monitor_id',
    columns: { hit: ['monitor_hit', 't.id::text'] },
  },
  review_notes: { key: id, app: 'o.app_id', join: 'join reviews o on o.id = t.review_id', columns: { note: ['review', 't.id::text'] } },
  reveals: { key: id, app: 't.app_id', columns: { reason: ['reveal', 't.id::text'] } },
  idempotency_keys: {
    key: { app_id: 'uuid', live: 'bool', key: 'bytea' },
    app: 't.app_id',
    columns: { body: ['idempotency', "t.app_id || ':' || t.live::text || ':' || encode(t.key, 'hex')"] },
  },
  approvals: { key: id, app: "case when t.action <> 'delete_app' then t.app_id end", columns: { about: ['approval', 't.id::text'] } },
  sandbox_portraits: {
    key: id,
    app: 't.app_id',
    columns: {
      image: ['sandbox_portrait', 't.id::text'],
      shown: ['sandbox_portrait', 't.id::text'],
      masked: ['sandbox_portrait_number', 't.id::text'],
    },
  },
  erasures: { key: id, app: 't.app_id', columns: { asked: ['erasure', 't.id::text'] } },
  subject_holds: { key: id, app: 't.app_id', columns: { about: ['subject_hold', 't.id::text'] } },
  subject_exports: { key: id, app: 't.app_id', columns: { asked: ['subject_export', 't.id::text'] } },
  people: {
    ...person,
    columns: {
      email: ['person_email', 't.id::text'],
      name: ['person_name', 't.id::text'],
      password: ['password', 't.id::text'],
      totp: ['totp', 't.id::text'],
      totp_pending: ['totp', 't.id::text'],
    },
  },
  passkeys: { ...person, columns: { name: ['passkey', 't.id::text'] } },
  sessions: { ...person, columns: { about: ['session', 't.id::text'] } },
  sign_in_challenges: { key: { hash: 'bytea' }, columns: { data: ['challenge', "encode(t.hash, 'hex')"] } },
};

const PICTURES = ['images', 'entity_images', 'image', 'shown'];

/** By table. */
export const SEALED_TABLES = Object.entries(TABLES).map(([table, { key, columns, ...owner }]) =>
  Object.entries(columns).map(([column, [purpose, bound]]) => ({
    table,
    column,
    key,
    purpose,
    bound,
    app: owner.app ?? 'null::uuid',
    batch: owner.batch ?? 'null::uuid',
    join: owner.join ?? '',
    step: PICTURES.includes(column) ? 8 : 200,
  })),
) as [SealedColumn, ...SealedColumn[]][];
