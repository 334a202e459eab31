/** Checks that the audit is whole, and copies it out, for `commands/audit.ts`. */
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { byOperator, record } from '../access/audit/append.ts';
import { DEPLOYMENT } from '../access/audit/entry.ts';
import { type ExportPosition, exportAudit, openFile, openSyslog } from '../access/audit/export.ts';
import { retireMonth } from '../access/audit/retire.ts';
import { type AuditReport, type CopiedEntry, verifyAudit } from '../access/audit/verify.ts';
import { ConfigError } from '../foundation/config.ts';
import { writeDurably } from '../foundation/durable-files.ts';
import { parseId } from '../foundation/ids.ts';
import { withDatabase } from './database.ts';
import { counted } from './terminal/text.ts';
import { UsageError } from './usage-error.ts';

const byCli = byOperator('cli');

export interface VerifyOptions {
  copy?: string;
  json?: boolean;
}

export interface ExportOptions {
  file?: string;
  syslog?: string;
  position?: string;
}

export const verifyEntries = (options: VerifyOptions): Promise<void> =>
  withDatabase(async (ctx) => {
    const report = await verifyAudit(ctx, options.copy === undefined ? undefined : readCopy(options.copy));
    console.log(options.json ? JSON.stringify(report, null, 2) : asText(report));
    if (report.problems.length > 0) process.exitCode = 1;
  });

export async function retireEntries(month: string): Promise<void> {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) throw new UsageError(`${month}: give a month such as 2026-11`);
  await withDatabase(async (ctx) => {
    const { statement, chains, entries } = await retireMonth(ctx, month);
    console.log(
      `${counted(entries, 'entry', 'entries')} of ${month} in ${counted(chains, 'chain')} may be dropped, as the audit records now.`,
    );
    console.log(`Copy them first if you have not (confam audit export). Then, as the owner of the tables: ${statement}`);
  });
}

export async function exportEntries({ file, syslog, position: path }: ExportOptions): Promise<void> {
  if ((file === undefined) === (syslog === undefined)) throw new UsageError('give either --file or --syslog');
  const position = path === undefined ? {} : readPosition(path);
  await withDatabase(async (ctx) => {
    const sink = file === undefined ? await openSyslog(syslog!) : await openFile(file);
    const copied = async (): Promise<ExportPosition> => {
      const to = file === undefined ? 'syslog' : 'file';
      await ctx.sql.begin((tx) => record(tx, byCli, { appId: DEPLOYMENT, live: null, action: 'audit.read', object: null, detail: { to } }));
      return exportAudit(ctx, sink, position);
    };
    const reached = await copied().finally(() => sink.close());
    if (path !== undefined) writePosition(path, reached);
  });
}

const asText = ({ chains, entries, problems, retired, complete }: AuditReport): string => {
  const whole = retired.length === 0 ? 'nothing was changed or removed' : 'nothing else was changed or removed';
  return [
    ...(retired.length === 0 ? [] : [asRetired(retired)]),
    ...problems.map(({ chain, seq, to, what }) => `${chain} ${to === undefined ? seq : `${seq} to ${to}`}: ${what}`),
    ...(complete ? [] : ['there may be more: not everything was checked']),
    `${entries} entries in ${chains} chains, ${problems.length === 0 ? whole : counted(problems.length, 'problem')}`,
  ].join('\n');
};

/** A chain may have no entries in the last month that was retired, and has lost only earlier ones. */
function asRetired(retired: AuditReport['retired']): string {
  const last = retired.reduce((one, other) => (other.month > one.month ? other : one));
  const gone = retired.reduce((sum, { to }) => sum + to, 0);
  return `months up to ${last.month} were retired, the last on ${last.at.slice(0, 10)}: ${gone} entries in ${counted(retired.length, 'chain')}`;
}

const copiedEntry = z.object({ app: z.string().nullable(), seq: z.int().positive(), hash: z.string().regex(/^[0-9a-f]{64}$/) });

async function* readCopy(path: string): AsyncGenerator<CopiedEntry> {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new UsageError(`--copy: there is no file ${path}`);
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(path) })) {
    line++;
    const { app, seq, hash } = copiedLine(text) ?? {};
    const appId = app === null ? DEPLOYMENT : parseId('app', app ?? '');
    if (appId === null || seq === undefined) throw new UsageError(`--copy: line ${line} of ${path} was not written by an export`);
    yield { appId, seq, hash: Buffer.from(hash!, 'hex') };
  }
}

function copiedLine(text: string): z.infer<typeof copiedEntry> | null {
  try {
    return copiedEntry.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

const positionFile = z.record(z.string(), z.int().nonnegative());

function readPosition(path: string): ExportPosition {
  if (!existsSync(path)) return {};
  try {
    return positionFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new UsageError(`--position: ${path} was not written by an export (${(error as Error).name})`);
  }
}

/** Whole or not at all: half a position would export everything again. */
function writePosition(path: string, position: ExportPosition): void {
  try {
    writeDurably(path, JSON.stringify(position), 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`--position: ${path} cannot be written (${code}); everything was exported, and the next export repeats it`);
  }
}
