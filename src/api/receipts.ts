/** What the routes that check a receipt have in common. */
import type { z } from 'zod';
import type { receiptBody } from '../contract/subjects.ts';
import { isOurReceipt, type TableOfReceipts } from '../lifecycle/receipts.ts';
import { envelope, type Http } from './http.ts';
import { answer } from './openapi/operation.ts';
import { objectOf } from './openapi/schema.ts';
import type { Tools } from './tools.ts';

interface Checking extends Pick<Tools, 'service'> {
  body: z.output<typeof receiptBody>;
}

/** `tables`: where copies of receipts are looked for. */
export const checkingReceipts = (...tables: TableOfReceipts[]) =>
  ({
    method: 'post',
    audit: { none: 'reads nothing: it compares a signature' },
    answers: { 200: answer('The verdict', objectOf({ object: { const: 'receipt' }, valid: { type: 'boolean' } })) },
    handle: async (c: Http, { service, body }: Checking) =>
      envelope(c, { object: 'receipt', valid: await isOurReceipt(service, tables, body) }),
  }) as const;
