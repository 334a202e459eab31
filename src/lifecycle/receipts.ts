/** Receipts of what was deleted, signed by the deployment, so that their holders can have them checked later. */
import type { Context } from '../foundation/context.ts';
import { sameSecret } from '../foundation/crypto.ts';
import { parseId } from '../foundation/ids.ts';
import { narrowed } from '../foundation/lists.ts';

const RECEIPT = 'erasure_receipt';

type Signing = Pick<Context, 'cipher'>;

/** Where copies of receipts are. `member`: what a receipt calls the id of its row, which begins with `prefix`. */
const COPIES = {
  erasures: { id: 'id', text: 'receipt', member: 'erasure', prefix: 'ers' },
  /** Certificates of deleted apps. */
  app_deletions: { id: 'app_id', text: 'certificate', member: 'app', prefix: 'app' },
} as const;

export type TableOfReceipts = keyof typeof COPIES;

export const TABLES_OF_RECEIPTS = Object.keys(COPIES) as TableOfReceipts[];

/** An HMAC with a key of the deployment, in base64url. */
export const signReceipt = ({ cipher }: Signing, receipt: string): string => cipher.sign(RECEIPT, receipt).toString('base64url');

const isSigned = ({ cipher }: Signing, receipt: string, signature: string): boolean =>
  cipher.signatures(RECEIPT, receipt).some((one) => sameSecret(one.toString('base64url'), signature));

/**
 * Whether this deployment has signed exactly this receipt. One whose key is no longer in the settings is recognized by its copy in `tables`, which was signed again. An
 * app may read its own erasures only.
 */
export async function isOurReceipt(
  { sql, cipher }: Pick<Context, 'sql' | 'cipher'>,
  tables: readonly TableOfReceipts[],
  { receipt, signature }: { receipt: string; signature: string },
): Promise<boolean> {
  if (isSigned({ cipher }, receipt, signature)) return true;
  for (const table of tables) {
    const { id, text } = COPIES[table];
    const named = idIn(receipt, table);
    // A receipt that names no row may also hold characters that Postgres does not accept in text, such as U+0000.
    if (named === null) continue;
    const [copy] = await sql<{ signature: string }[]>`
      select signature from ${sql(table)} where ${sql(id)} = ${named} and ${sql(text)} = ${receipt}`;
    if (copy && isSigned({ cipher }, receipt, copy.signature)) return true;
  }
  return false;
}

/** Signs again the next receipts of a table that an older key in the settings has signed. Returns how many. */
export async function renewReceipts(
  { sql, cipher }: Pick<Context, 'sql' | 'cipher'>,
  table: TableOfReceipts,
  limit: number,
): Promise<number> {
  const { id, text } = COPIES[table];
  let renewed = 0;
  for (let after: string | null = null; renewed === 0; ) {
    const rows: Copy[] = await sql<Copy[]>`
      select ${sql(id)} as id, ${sql(text)} as receipt, signature from ${sql(table)}
      where ${sql(text)} is not null ${narrowed(sql, [after !== null && sql`${sql(id)} > ${after}`])} order by ${sql(id)} limit ${limit}`;
    if (rows.length === 0) return 0;
    after = rows.at(-1)!.id;
    for (const row of rows) {
      const signature = signReceipt({ cipher }, row.receipt);
      if (signature === row.signature || !isSigned({ cipher }, row.receipt, row.signature)) continue;
      const changed = await sql`
        update ${sql(table)} set signature = ${signature} where ${sql(id)} = ${row.id} and signature = ${row.signature}`;
      renewed += changed.count;
    }
  }
  return renewed;
}

interface Copy {
  id: string;
  receipt: string;
  signature: string;
}

/** The row that a receipt says it is about; null: none. */
function idIn(receipt: string, table: TableOfReceipts): string | null {
  const { member, prefix } = COPIES[table];
  try {
    return parseId(prefix, String((JSON.parse(receipt) as Record<string, unknown> | null)?.[member]));
  } catch {
    return null;
  }
}
