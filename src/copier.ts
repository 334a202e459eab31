/** Stores the rows of an upload: jobs by COPY, slice by slice, and invalid rows by INSERT, within the upload's transaction. */
import { finished } from 'node:stream/promises';
import type { RawRow } from './columns.ts';
import type { Context, Tx } from './context.ts';
import { newId } from './ids.ts';
import type { NewJob } from './intake.ts';
import type { RowProblem } from './schema.ts';

/** Jobs that go to Postgres in one COPY; the next slice is prepared meanwhile. */
const SLICE_JOBS = 2_000;

export interface JobConstants {
  batchId: string;
  appId: string;
  live: boolean;
  cacheMode: 'use' | 'refresh';
  consent: unknown;
  /** Worst price and cache price of each check. */
  prices: Map<string, { priceKobo: number; cachedPriceKobo: number }>;
}

interface RefusedRow {
  row: number;
  problems: RowProblem[];
  input: string | null;
}

export interface Copier {
  job(job: NewJob): boolean;
  invalid(row: number, problems: RowProblem[], raw: RawRow | null): boolean;
  /** A slice is under way while the next is prepared: at most two are in memory. */
  send(): Promise<void>;
  /** Waits for what was sent, and throws what went wrong with it. */
  flush(): Promise<void>;
  /** A ROLLBACK in the middle of a COPY costs the connection, and hides the error that led to it. */
  settled(): Promise<void>;
}

export function openCopier(tx: Tx, { cipher }: Pick<Context, 'cipher'>, batch: JobConstants): Copier {
  let lines: string[] = [];
  let refused: RefusedRow[] = [];
  let underWay: Promise<unknown> = Promise.resolve();
  const consent = batch.consent === undefined ? NULL : escapeCopy(JSON.stringify(batch.consent));
  const common = [batch.appId, batch.batchId, batch.live ? 't' : 'f', batch.cacheMode, consent].join('\t');
  const perCheck = new Map(
    [...batch.prices].map(([check, { priceKobo, cachedPriceKobo }]) => [check, `${priceKobo}\t${cachedPriceKobo}\t${check}`]),
  );

  return {
    job({ row, check, subject, reference, raw, twinRow }) {
      const id = newId();
      const input = cipher.seal(JSON.stringify(raw), 'input', id).toString('hex');
      const state = twinRow === 0 ? `queued\t${NULL}` : `duplicate\t${twinRow}`;
      lines.push(
        `${id}\t${common}\t${perCheck.get(check.id)}\t${check.family}\t${state}\t${row}\t${reference === null ? NULL : escapeCopy(reference)}\t\\\\x${subject.toString('hex')}\t\\\\x${input}\n`,
      );
      return lines.length >= SLICE_JOBS;
    },
    invalid(row, problems, raw) {
      const input = raw === null ? null : cipher.seal(JSON.stringify(raw), 'invalid_row', `${batch.batchId}:${row}`).toString('base64');
      refused.push({ row, problems, input });
      return refused.length >= SLICE_JOBS;
    },
    async send() {
      await underWay;
      const [jobLines, rows] = [lines, refused];
      [lines, refused] = [[], []];
      underWay = write(tx, batch.batchId, jobLines, rows);
      // Whoever awaits it next sees the error; until then it is not unhandled.
      underWay.catch(() => {});
    },
    async flush() {
      await underWay;
    },
    async settled() {
      await underWay.catch(() => {});
    },
  };
}

async function write(tx: Tx, batchId: string, lines: string[], refused: RefusedRow[]): Promise<void> {
  if (lines.length > 0) {
    const copy = await tx`
      copy jobs (id, app_id, batch_id, live, cache_mode, consent, price_kobo, cached_price_kobo, check_id, family, status, twin_row, row_number, reference,
        subject, input) from stdin`.writable();
    copy.end(Buffer.from(lines.join('')));
    await finished(copy);
  }
  if (refused.length > 0) {
    await tx`
      insert into invalid_rows (batch_id, row_number, problems, input)
      select ${batchId}, row_number, problems::jsonb, decode(input, 'base64')
      from unnest(${refused.map((r) => r.row)}::int[], ${refused.map((r) => JSON.stringify(r.problems))}::text[], ${refused.map((r) => r.input)}::text[])
        as t(row_number, problems, input)`;
  }
}

/** Text format of COPY. */
const NULL = '\\N';

/** Backslash and the separators are escaped. */
const escapeCopy = (text: string): string =>
  text.replace(/[\\\t\n\r]/g, (c) => (c === '\\' ? '\\\\' : c === '\t' ? '\\t' : c === '\n' ? '\\n' : '\\r'));
