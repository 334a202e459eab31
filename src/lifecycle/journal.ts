/**
 * The journal of erasures: a file apart from the database, so that a restored backup does not bring back whoever was erased after it was made. Each line has
 * keyed hashes of a person's identifiers, never the identifiers, and a signature. It is written before the first thing is erased.
 */
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Config, ConfigError } from '../foundation/config.ts';
import type { Context } from '../foundation/context.ts';
import { sameSecret } from '../foundation/crypto.ts';
import { parseId, showId } from '../foundation/ids.ts';
import type { PersonMarks } from '../schema/lifecycle.ts';
import type { ErasureRow } from './erase-rows.ts';

const JOURNAL = 'erasure_journal';

/** Null: no journal. The embedded database always has one. */
export const journalPath = ({ CONFAM_ERASURE_JOURNAL, CONFAM_DATA_DIR, embedded }: Config): string | null =>
  CONFAM_ERASURE_JOURNAL ?? (embedded ? join(CONFAM_DATA_DIR, 'erasures.jsonl') : null);

const hashes = z.array(z.string());
const said = z.object({
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

/** Returns once the line is on the disk. The same erasure may be written twice. */
export async function writeToJournal(
  { cipher, config }: Context,
  { id, appId, live, askedAt }: Pick<ErasureRow, 'id' | 'appId' | 'live' | 'askedAt'>,
  marks: PersonMarks,
): Promise<void> {
  const path = journalPath(config);
  if (path === null) return;
  const text = JSON.stringify({
    erasure: showId('ers', id),
    app: showId('app', appId),
    mode: live ? 'live' : 'test',
    asked_at: askedAt,
    marks,
  } satisfies z.infer<typeof said>);
  const file = await open(path, 'a', 0o600);
  try {
    await file.appendFile(`${JSON.stringify({ said: text, signature: cipher.sign(JOURNAL, text).toString('base64url') })}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/**
 * Requests the journal's erasures again unless the database has finished them. The sweeper does the work. An erasure leaves newer data alone. Throws `ConfigError` if the file cannot be read or has a line that this deployment did not sign. Returns how many were asked for.
 */
export async function repeatErasures({ sql, cipher }: Context, path: string): Promise<number> {
  const lines = (await read(path)).split('\n').filter((line) => line !== '');
  const erasures = lines.map((line, at) => {
    const erasure = opened(cipher, line);
    // A power cut may leave half of the last line. Its erasure had not begun.
    if (erasure === null && at < lines.length - 1)
      throw new ConfigError(`${path}: line ${at + 1} is not one that this deployment has signed`);
    return erasure;
  });
  let asked = 0;
  for (const erasure of erasures) {
    if (erasure === null) continue;
    const added = await sql`
      insert into erasures (id, app_id, live, marks, journaled_at, asked_at)
      select ${erasure.id}, id, ${erasure.live}, ${JSON.stringify(erasure.marks)}::text::jsonb, now(), ${erasure.askedAt}::text::timestamptz
      from apps where id = ${erasure.appId} on conflict (id) do nothing`;
    asked += added.count;
  }
  return asked;
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

const signed = z.object({ said: z.string(), signature: z.string() });

/** Null unless this deployment signed it. */
function opened(cipher: Context['cipher'], line: string) {
  const { data } = signed.safeParse(parsed(line));
  if (!data || !sameSecret(cipher.sign(JOURNAL, data.said).toString('base64url'), data.signature)) return null;
  const { erasure, app, mode, asked_at, marks } = said.parse(JSON.parse(data.said));
  return { id: parseId('ers', erasure)!, appId: parseId('app', app)!, live: mode === 'live', askedAt: asked_at, marks };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
