/** How each approved action is carried out, in the transaction of its approval. */
import { changeSettings } from '../access/apps.ts';
import type { Author } from '../access/audit/append.ts';
import type { CarryOut } from '../approvals/approvals.ts';
import { startApproved } from '../batches/control.ts';
import { knownCheck } from '../checks/catalog.ts';
import { type ApprovalAction, type ApprovalRow, settingsOf, settingsPatch, stateOf } from '../contract/approvals.ts';
import { kobo } from '../contract/fields.ts';
import { priceBody, topUpBody } from '../contract/money.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { parseId } from '../foundation/ids.ts';
import { deleteApproved, prepareDeletion } from '../lifecycle/app-deletion.ts';
import { addMoney } from '../money/ledger.ts';
import { agreePrice, endPrice, isOver, type PriceTerms, priceState, readOpenPrice } from '../money/prices.ts';
import type { AppSettings } from '../schema/apps.ts';

/** `by`: who approves. Null for actions whose approval grants a right instead. */
export function carryOutOf(action: ApprovalAction, by: Author): CarryOut | null {
  switch (action) {
    case 'start_batch':
      return (tx, approval) => startApproved(tx, approval, by);
    case 'change_settings':
      return (tx, approval) => changeApproved(tx, approval, by);
    case 'top_up':
      return async (tx, { appId, terms }) => {
        const { amount, mode, note } = topUpBody.parse(terms);
        return (await addMoney(tx, { appId, live: mode === 'live' }, kobo(amount), note ?? null, by)) !== null;
      };
    case 'change_prices':
      return (tx, approval) => changePrices(tx, approval, by);
    case 'delete_app':
      return (tx, approval) => deleteApproved(tx, approval, by);
    case 'reveal':
    case 'export':
      return null;
  }
}

/** What must happen before that transaction, in transactions of its own, while `goesOn`. */
export async function prepareFor(ctx: Context, approval: ApprovalRow, by: Author, goesOn: () => Promise<boolean>): Promise<void> {
  if (approval.action === 'delete_app') await prepareDeletion(ctx, approval, by, goesOn);
}

export const termsOfPrice = ({ price, cached_price, valid_from, valid_until }: ReturnType<typeof priceBody.parse>): PriceTerms => ({
  priceKobo: kobo(price),
  cachedPriceKobo: cached_price === undefined ? null : kobo(cached_price),
  validFrom: valid_from ?? null,
  validUntil: valid_until,
});

/** Voids the approval if a setting that it would change has been changed since it was asked for. */
async function changeApproved(tx: Tx, { appId, terms, state }: ApprovalRow, by: Author): Promise<boolean> {
  const patch = settingsOf(settingsPatch.parse(terms));
  const [app] = await tx<{ settings: AppSettings }[]>`select settings from apps where id = ${appId} for no key update`;
  // Releases before asked without a state.
  const isSame = app !== undefined && (state === null || stateOf(app.settings, patch) === state);
  return isSame && (await changeSettings(tx, appId, patch, by)) !== null;
}

/** Refuses if the check's price for this app has changed since the request, or the new one would be over already. */
async function changePrices(tx: Tx, { appId, target, terms, state }: ApprovalRow, by: Author): Promise<boolean> {
  const check = knownCheck(terms.check as string);
  if ((await priceState(tx, appId, check)) !== state) return false;
  if (terms.end === true) {
    const id = parseId('prc', target)!;
    return (await readOpenPrice(tx, appId, id)) !== null && (await endPrice(tx, appId, id, by)) !== null;
  }
  const agreed = termsOfPrice(priceBody.parse(terms));
  return !isOver(agreed) && (await agreePrice(tx, appId, check, agreed, by)) !== null;
}
