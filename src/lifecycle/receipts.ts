/** Receipts of what was deleted, signed by the deployment, so that whoever keeps one can have it checked later. */
import type { Context } from '../foundation/context.ts';
import { sameSecret } from '../foundation/crypto.ts';

const RECEIPT = 'erasure_receipt';

type Signing = Pick<Context, 'cipher'>;

/** An HMAC with a key of the deployment, in base64url. */
export const signReceipt = ({ cipher }: Signing, receipt: string): string => cipher.sign(RECEIPT, receipt).toString('base64url');

/** Whether this deployment has signed exactly this receipt. */
export const isOurReceipt = (ctx: Signing, receipt: string, signature: string): boolean => sameSecret(signReceipt(ctx, receipt), signature);
