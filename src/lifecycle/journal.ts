/**
 * The journal of erasures: a file outside the database, so that a restored backup does not bring back people who were erased after it was made. Each line has
 * keyed hashes of a person's identifiers, never the identifiers, and a signature. It is written before the first thing is erased.
 */
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { suspendApp } from '../access/apps.ts';
import { bySystem, type NewAuditEntry, record } from '../access/audit/append.ts';
import { type Config, ConfigError } from '../foundation/config.ts';
import type { Context } from '../foundation/context.ts';
import { sameSecret } from '../foundation/crypto.ts';
import { parseId, showId } from '../foundation/ids.ts';
import type { PersonMarks } from '../schema/lifecycle.ts';
import type { ErasureRow } from './erasure-group.ts';

const JOURNAL = 'erasure_journal';

/** Null: no journal. The embedded database always has one. */
export const journalPath = ({ CONFAM_ERASURE_JOURNAL, CONFAM_DATA_DIR, embedded }: Config): string | null =>
  CONFAM_ERASURE_JOURNAL ?? (embedded ? join(CONFAM_DATA_DIR, 'erasures.jsonl') : null);

const hashes = z.array(z.string());
const saidOfApp = z.object({ deleted_app: z.string(), asked_at: z.string() });
const erasureLine = z.object({
  erasure: z.string(),
  app: z.string(),
  mode: z.enum(['live', 'test']),
  asked_at: z.string(),
  marks: z.object({
    types: z.array(z.string()),
    subjects: hashes,
    cells: z.object({ nin: hashes, bvn: hashes, phone: hashes, email: hashes, name: hashes, born: hashes }),
    cached: z.object({ app: hashes, deployment: hashes }),
    portraits: z.array(z.object({ type: z.enum(['nin', 'bvn']), subject: z.string() })),
  }),
});

type Journaled = Pick<ErasureRow, 'id' | 'appId' | 'live' | 'askedAt'> & { marks: PersonMarks };
type Writing = Pick<Context, 'cipher' | 'config'>;

/** Returns once the lines are on the disk. The same erasure may be written twice. */
export const writeToJournal = (ctx: Writing, erasures: readonly Journaled[]): Promise<void> =>
  write(
    ctx,
    erasures.map(
      ({ id, appId, live, askedAt, marks }) =>
        ({
          erasure: showId('ers', id),
          app: showId('app', appId),
          mode: live ? 'live' : 'test',
          asked_at: askedAt,
          marks,
        }) satisfies z.infer<typeof erasureLine>,
    ),
  );

/** The same for an app, written as soon as its deletion is committed. */
export const writeAppToJournal = (ctx: Writing, { appId, askedAt }: { appId: string; askedAt: string }): Promise<void> =>
  write(ctx, [{ deleted_app: showId('app', appId), asked_at: askedAt } satisfies z.infer<typeof saidOfApp>]);

async function write({ cipher, config }: Writing, facts: readonly object[]): Promise<void> {
  const path = journalPath(config);
  if (path === null || facts.length === 0) return;
  const lines = facts.map((fact) => {
    const text = JSON.stringify(fact);
    return `${JSON.stringify({ said: text, signature: cipher.sign(JOURNAL, text).toString('base64url') })}\n`;
  });
  const file = await open(path, 'a', 0o600);
  try {
    // In one call: another process may append at the same time.
    const bytes = Buffer.from(lines.join(''));
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length) throw new Error(`${path}: the disk took ${bytesWritten} of ${bytes.length} bytes`);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/**
 * Requests the journal's erasures again unless the database has finished them: all of them, or none if it is killed. The sweeper does the work. An erasure leaves newer
 * data alone. Throws `ConfigError` if the file cannot be read or has a line that this deployment did not sign. Returns how many were asked for.
 */
export async function repeatErasures({ sql, cipher }: Context, path: string): Promise<number> {
  const lines = await readSigned({ cipher }, path);
  return sql.begin(async (tx) => {
    const repeated: NewAuditEntry[] = [];
    for (const text of lines) {
      const { data } = erasureLine.safeParse(text);
      if (!data) continue;
      const erasure = {
        id: parseId('ers', data.erasure)!,
        appId: parseId('app', data.app)!,
        live: data.mode === 'live',
        askedAt: data.asked_at,
      };
      const added = await tx`
        insert into erasures (id, app_id, live, marks, journaled_at, asked_at)
        select ${erasure.id}, id, ${erasure.live}, ${JSON.stringify(data.marks)}::text::jsonb, now(), ${erasure.askedAt}::text::timestamptz
        from apps where id = ${erasure.appId} and deleted_at is null on conflict (id) do nothing`;
      if (added.count === 0) continue;
      const detail = { types: [...new Set(data.marks.types)], repeated: true };
      repeated.push({ appId: erasure.appId, live: erasure.live, action: 'subject.erase', object: data.erasure, detail });
    }
    if (repeated.length > 0) await record(tx, bySystem('restore'), ...repeated);
    return repeated.length;
  });
}

/**
 * Apps that were deleted after a backup and are back with it: suspended, so that nothing of them runs until the operator deletes them again. Work and money of
 * the time of the backup are back too, so that cannot be done unasked. Throws as above.
 */
export async function suspendDeletedApps(ctx: Context, path: string): Promise<string[]> {
  const back: string[] = [];
  for (const text of await readSigned(ctx, path)) {
    const { data } = saidOfApp.safeParse(text);
    const id = data && parseId('app', data.deleted_app);
    if (id && (await suspendApp(ctx, id, bySystem('restore')))) back.push(id);
  }
  return back;
}

/**
 * What each line says, as JSON. A power cut, or a full disk, may leave part of a line at the end of the file, before which nothing was erased. Later lines go on
 * right behind it, so whatever stands before the last beginning of a line is left out.
 */
async function readSigned({ cipher }: Pick<Context, 'cipher'>, path: string): Promise<unknown[]> {
  const lines = (await read(path)).split('\n');
  // Empty where the file ends with a whole line.
  const unfinished = lines.pop()!;
  const whole = lines.flatMap((line, at) => {
    if (line === '') return [];
    const text = opened(cipher, line.slice(Math.max(0, line.lastIndexOf(BEGINNING))));
    if (text === null) throw new ConfigError(`${path}: line ${at + 1} is not one that this deployment has signed`);
    return [JSON.parse(text)];
  });
  const last = opened(cipher, unfinished);
  return last === null ? whole : [...whole, JSON.parse(last)];
}

/** How a line begins, and nothing within it: quotes in what it says are escaped. */
const BEGINNING = '{"said":"';

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

const signed = z.object({ said: z.string(), signature: z.string() });

/** Null unless this deployment signed it. */
function opened(cipher: Context['cipher'], line: string): string | null {
  const { data } = signed.safeParse(parsed(line));
  // Lines stay as they were written, so a retired key still counts.
  const signatures = data ? cipher.signatures(JOURNAL, data.said, { retired: true }) : [];
  return data && signatures.some((signature) => sameSecret(signature.toString('base64url'), data.signature)) ? data.said : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
