/** The current digest of an entry: from the loaded lists for live keys, from the sandbox lists for test keys. */

import type { Context } from '../foundation/context.ts';
import { group } from '../foundation/group.ts';
import { recordset } from '../foundation/recordset.ts';
import type { SandboxLists } from './sandbox-lists.ts';

/** Null: no current list has such an entry. */
export type DigestOf = (live: boolean, list: string, sourceId: string) => Promise<string | null>;

export function openDigests({ sql }: Context, sandbox: SandboxLists): DigestOf {
  const readLive = group<{ list: string; sourceId: string }, string | null>(
    async (asked) => {
      const rows = await sql<{ n: number; digest: string }[]>`
        select asked.n::int as n, encode(e.digest, 'hex') as digest
        from ${recordset(sql, asked, { list: ['text', (a) => a.list], source_id: ['text', (a) => a.sourceId] }, 'n')} asked
        join aml_entries e on e.list = asked.list and e.source_id = asked.source_id and e.to_version is null`;
      const digests = asked.map((): string | null => null);
      for (const { n, digest } of rows) digests[n - 1] = digest;
      return digests;
    },
    { itemsMax: 500, flushesMax: 2 },
  );

  /** Includes the later entries, so that a hit which only a monitor reported can be cleared too. */
  async function readSandbox(list: string, sourceId: string): Promise<string | null> {
    const listings = [...(await sandbox.inForce()), ...(await sandbox.later())];
    return listings.find((listing) => listing.list === list && listing.entry.sourceId === sourceId)?.digest ?? null;
  }

  return (live, list, sourceId) => (live ? readLive({ list, sourceId }) : readSandbox(list, sourceId));
}
