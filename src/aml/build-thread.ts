/** The thread that reads the current lists and builds their index, so that the process can go on working. */

import { IndexBuilder } from '../engines/aml/match/build.ts';
import type { ScreeningIndex } from '../engines/aml/match/index.ts';
import { openSql } from '../foundation/context.ts';
import { type CurrentVersion, readCurrentLists } from './current-lists.ts';

export interface BuildTask {
  databaseUrl: string;
  lists: string[];
}

export interface Built {
  index: ScreeningIndex;
  versions: CurrentVersion[];
}

export default async ({ databaseUrl, lists }: BuildTask): Promise<Built> => {
  const sql = openSql(databaseUrl, 1);
  try {
    return await readCurrentLists(
      { sql },
      lists.map((list) => ({ list })),
      async ({ versions, entries }): Promise<Built> => {
        const labels = new Map(versions.map(({ list, label }) => [list, label]));
        const builder = new IndexBuilder();
        for await (const slice of entries)
          for (const { list, digest, entry } of slice) builder.add({ list, version: labels.get(list)!, digest, entry });
        return { index: builder.finish(), versions };
      },
    );
  } finally {
    await sql.end({ timeout: 5 });
  }
};
