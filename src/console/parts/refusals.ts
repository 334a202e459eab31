/** Refusals of the API as people read them: with the labels that they see instead of the API's names. */
import { Refused } from '../../client/errors.ts';
import { naira, waitFor } from '../format.ts';
import { fieldName } from '../job/field-name.ts';

/** Until somebody signs in again. */
export const SESSION_ENDED = 'Your session had ended before this was done. Sign in, then do it again.';

/** By the rule that was broken. */
const WHOLE: Readonly<Record<string, string>> = {
  totp: 'The code is wrong. Enter the one that the app shows now.',
};

/** By code, where the API speaks to programs: of requests, or of lists by their ids. */
const CODES: Readonly<Record<string, (error: Refused) => string | null>> = {
  insufficient_funds: ({ extra: { quote_amount: price, available_amount: available } }) =>
    typeof price === 'number' && typeof available === 'number'
      ? `This needs ${naira(price)}, and the wallet has ${naira(available)}: ${naira(price - available)} is missing.`
      : null,
  lists_not_loaded: () => 'Screening is not possible now: a watch list that it needs is not loaded.',
};

/** By status, where a proxy answered and not Confam. Browsers say 0 of an answer that leads elsewhere. */
const BETWEEN: Readonly<Record<number, string>> = {
  0: 'Your network wants you to sign in again. Reload the page.',
  413: 'A proxy in front of Confam refuses files of this size. Nothing has arrived. Ask your administrator to raise its limit, or split the file.',
  429: 'A proxy in front of Confam refuses so many requests. Wait a moment, then try again.',
};

/** These last until somebody does something about them. */
const LASTING: ReadonlySet<string> = new Set(['provider_not_configured', 'lists_not_loaded', 'spending_cap_exceeded']);

const isOfProxy = ({ code, requestId }: Refused): boolean => code === 'internal' && requestId === null;

/** One sentence. `form`: whose labels stand for the names of its fields. */
export function refusalText(error: Refused, form?: HTMLFormElement): string {
  if (isSessionEnded(error)) return SESSION_ENDED;
  return labelled(error, form);
}

/** With what to do about it, where nothing but this text is shown. */
export function refusalInFull(error: Refused, form?: HTMLFormElement): string {
  const text = refusalText(error, form);
  if (isOfProxy(error) || isSessionEnded(error)) return text;
  if (error.code === 'internal') return `${text} Tell your administrator this id: ${error.requestId}.`;
  return isTemporary(error) && !/\bagain\b/.test(text) ? `${text} ${whenAgain(error)}` : text;
}

/** Nothing was done, and the same may be accepted soon. */
export const isTemporary = ({ status, code }: Refused): boolean => (status === 503 || status === 429) && !LASTING.has(code);

export const whenAgain = ({ retryAfterSeconds }: Refused): string =>
  `Try again ${retryAfterSeconds ? `in ${waitFor(retryAfterSeconds)}` : 'in a moment'}.`;

/** Unless it was an attempt to sign in. */
export const isSessionEnded = (error: unknown): boolean =>
  error instanceof Refused && error.status === 401 && error.code === 'unauthenticated';

/** As `refusalText`, where 401 says that a password is wrong. */
export function labelled(error: Refused, form?: HTMLFormElement): string {
  const { details } = error;
  // Wherever the id is shown, the page itself says what to do with it.
  const message = error.message.replace('; quote the request id', '');
  if (isOfProxy(error))
    return BETWEEN[error.status] ?? `A proxy in front of Confam refused this with ${error.status}. Tell your administrator.`;
  const worded = CODES[error.code]?.(error);
  if (worded) return worded;
  const whole = details.length === 1 ? WHOLE[details[0]!.rule ?? ''] : undefined;
  if (whole) return whole;
  const named = message.split('; ').map((part) => {
    const path = details.find((detail) => detail.path !== '' && part.startsWith(`${detail.path} `))?.path;
    return path === undefined ? part : labelOf(path, form) + part.slice(path.length);
  });
  return `${named.join('; ').replace(/\.$/, '')}.`;
}

/** The label of the field in the form, for a list with the line of the entry; without one, the name in words. `settings.rate_per_second` → `Rate per second` */
function labelOf(path: string, form: HTMLFormElement | undefined): string {
  const [, list = path, entry] = /^(.*)\.(\d+)$/.exec(path) ?? [];
  const field = form?.elements.namedItem(path) ?? form?.elements.namedItem(list);
  const label = field instanceof HTMLElement && 'labels' in field ? (field.labels as NodeListOf<HTMLLabelElement> | null)?.[0] : undefined;
  // What follows is a note, such as "optional".
  const text = (label?.querySelector('span') ?? label)?.firstChild?.textContent?.trim();
  if (!text) return fieldName(path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? path);
  return entry !== undefined && field instanceof HTMLTextAreaElement ? `${text} (line ${lineOf(Number(entry), field.value)})` : text;
}

/** The line, from 1, on which the entry at index `entry` begins. Entries are separated by line breaks or commas. */
function lineOf(entry: number, list: string): number {
  const { index = 0 } = [...list.matchAll(/[^\s,]+/g)][entry] ?? {};
  return list.slice(0, index).split('\n').length;
}
