/** The list of all checks. A new family adds one line here; a test fails if a family's file is missing. */

import { ApiError } from '../foundation/errors.ts';
import { fieldLabel } from '../rows/column-names.ts';
import { alternatives, likelyNames } from '../rows/likely-names.ts';
import { amlChecks } from './aml.ts';
import { bvnChecks } from './bvn.ts';
import { cacChecks } from './cac.ts';
import type { Check, Family } from './check.ts';
import { creditChecks } from './credit.ts';
import { documentChecks } from './document.ts';
import { emailChecks } from './email.ts';
import { faceChecks } from './face.ts';
import { ninChecks } from './nin.ts';
import { tinChecks } from './tin.ts';

export const checks: readonly Check[] = [
  ...ninChecks,
  ...bvnChecks,
  ...cacChecks,
  ...tinChecks,
  ...creditChecks,
  ...documentChecks,
  ...faceChecks,
  ...amlChecks,
  ...emailChecks,
];

/** Enough for the input of any check. */
export const inputBytesMax = Math.max(...checks.map((check) => check.bodyBytesMax));

const byId = new Map(checks.map((check) => [check.id, check]));

export const findCheck = (id: string): Check | undefined => byId.get(id);

/** The check with the id that a client gave at `path`. Throws `invalid_request` with the likely ids. */
export function askedCheck(id: string, path: string): Check {
  const check = byId.get(id);
  if (check) return check;
  const likely = likelyNames(id, [...byId.keys()], LIKELY_SHOWN);
  const hint = likely.length > 0 ? `did you mean ${alternatives(likely)}?` : 'GET /api/v1/checks lists them all';
  const message = `"${fieldLabel(id, '…')}" is not a check; ${hint}`;
  throw new ApiError('invalid_request', message, { details: [{ path, message, rule: 'unknown_check' }] });
}

const LIKELY_SHOWN = 3;

/** The check that answers, and the input for it: another check if the input chooses it (`Check.instead`). `raw`: as sent. */
export function answeringCheck(check: Check, raw: Record<string, unknown>): { check: Check; raw: Record<string, unknown> } {
  const { instead } = check;
  if (!instead) return { check, raw };
  const { [instead.input]: chosen, ...rest } = raw;
  // Anything else is refused by the check itself.
  const isChosen = chosen === true || (typeof chosen === 'string' && chosen.trim().toLowerCase() === 'true');
  return isChosen ? { check: knownCheck(instead.check), raw: rest } : { check, raw };
}

/** For ids that were validated before they were stored. */
export function knownCheck(id: string): Check {
  const check = byId.get(id);
  if (!check) throw new Error(`no check ${id} in the catalog`);
  return check;
}

export const families: readonly Family[] = [...new Set(checks.map((check) => check.family))];
