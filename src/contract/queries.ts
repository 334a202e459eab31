/** Query parameters that several lists share: pages, waits, periods. */
import { z } from 'zod';
import { DAY_MS } from '../foundation/time.ts';
import { hasUsualYear, YEARS_RULE } from './fields.ts';

/** Most batches or jobs on a page. */
const PAGE_MAX = 1000;

const PAGE_DEFAULT = 100;

/** Longest time that a request may wait, in seconds. Proxies commonly cut off a response that takes longer. */
export const WAIT_SECONDS_MAX = 60;

interface Refusal {
  message: string;
  rule: string;
}

/** A query parameter in a form of our own; absent, it is `fallback` or else null. `read` returns undefined for text that is refused. */
const parameter = <Value>(
  schema: Record<string, unknown>,
  { message, rule }: Refusal,
  read: (text: string) => Value | undefined,
  fallback?: string | number,
) =>
  (fallback === undefined ? z.unknown().optional() : z.unknown().prefault(fallback))
    .transform((sent, context): Value | null => {
      if (sent === undefined) return null;
      // A number from JSON counts as its digits; anything else that is not text has none.
      const value = typeof sent === 'string' || typeof sent === 'number' ? read(String(sent)) : undefined;
      if (value !== undefined) return value;
      context.addIssue({ code: 'custom', message, params: { rule } });
      return z.NEVER;
    })
    .meta(schema);

export const wholeNumber = (min: number, max: number, fallback?: number) =>
  parameter(
    { type: 'integer', minimum: min, maximum: max },
    { message: `must be a whole number from ${min} to ${max}`, rule: 'range' },
    (text) => (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined),
    fallback,
  );

/** Naira, as kobo. */
export const nairaAmount = parameter({ type: 'number', minimum: 0 }, { message: 'must be an amount in naira', rule: 'amount' }, (text) =>
  /^\d{1,7}(\.\d{1,2})?$/.test(text) ? Math.round(Number(text) * 100) : undefined,
);

/** One of the names; empty: no filter. */
export const oneOf = <Name extends string>(names: readonly Name[], fallback?: Name) =>
  parameter(
    { enum: names },
    { message: `must be one of ${names.join(', ')}`, rule: 'invalid_value' },
    (text) => (text === '' ? null : names.find((name) => name === text)),
    fallback,
  );

/** Empty: no filter. */
export const yesOrNo = parameter({ type: 'boolean' }, { message: 'must be true or false', rule: 'invalid_value' }, (text) =>
  text === '' ? null : text === 'true' ? true : text === 'false' ? false : undefined,
);

/** Part of a text in the database; empty: no filter. */
export const partOf = (max: number) =>
  parameter(
    { type: 'string', maxLength: max },
    { message: `must be at most ${max} characters, and no NUL`, rule: 'invalid_value' },
    (text) => {
      if (text === '') return null;
      return text.length <= max && text.isWellFormed() && !text.includes('\u0000') ? text : undefined;
    },
  );

/** One or several of the names, separated by commas; empty: no filter. */
export const someOf = <Name extends string>(names: readonly Name[]) =>
  parameter(
    { type: 'array', items: { enum: names } },
    { message: `must be one or more of ${names.join(', ')}`, rule: 'invalid_value' },
    (text) => {
      if (text === '') return null;
      const asked = text.split(',');
      const known = names.filter((name) => asked.includes(name));
      return asked.length <= names.length && asked.every((one) => names.some((name) => name === one)) ? known : undefined;
    },
  );

const isoTime = z.iso.datetime({ offset: true });
const isoDay = z.iso.date();
const isTime = (text: string): boolean => isoTime.safeParse(text).success;
const isDay = (text: string): boolean => isoDay.safeParse(text).success;

/** An unescaped "+" arrives as a space. */
export const withPlus = (text: string): string => text.replace(' ', '+');

/** An ISO time with its offset, kept as text: Postgres reads microseconds, which a Date would lose. */
export const exactTime = parameter(
  { type: 'string', format: 'date-time' },
  { message: 'must be an ISO 8601 time with its offset, such as 2026-11-21T09:30:00Z', rule: 'invalid_time' },
  (text) => {
    if (text === '') return null;
    const sent = withPlus(text);
    return isTime(sent) && hasUsualYear(sent) ? sent : undefined;
  },
);

/** Never null: it has a default. */
export const pageSize = (max: number, fallback: number) => wholeNumber(1, max, fallback).transform((limit) => limit!);

/** `next_cursor` of the previous page; empty: the first page. */
export const cursor = z
  .string()
  .transform((text) => text || undefined)
  .optional();

/** A page of a list. */
export const page = {
  limit: pageSize(PAGE_MAX, PAGE_DEFAULT).describe('Maximum items a page'),
  cursor: cursor.describe('`next_cursor` of the previous page'),
};

export const waitQuery = z.object({
  wait: wholeNumber(0, WAIT_SECONDS_MAX).describe('Seconds to wait for it to finish, or with If-None-Match for a change'),
});

const DAY_OR_TIME = [
  { type: 'string', format: 'date-time' },
  { type: 'string', format: 'date' },
];

/** A day, which begins in UTC, or a time; empty: no limit. */
export const dayOrTime = parameter(
  { anyOf: DAY_OR_TIME },
  { message: 'must be a date or an ISO time with an offset, in a year from 1000 to 9999', rule: 'invalid_value' },
  (text) => {
    if (text === '') return null;
    const sent = withPlus(text);
    return (isTime(sent) || isDay(sent)) && hasUsualYear(sent) ? new Date(sent).toISOString() : undefined;
  },
);

export const pageQuery = z.object(page);

const DAYS_MAX = 366;

const DAYS_DEFAULT = 30;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const day = z.iso.date({ error: 'must be a day: YYYY-MM-DD', abort: true }).refine(hasUsualYear, YEARS_RULE);

interface Days {
  from?: string | undefined;
  to?: string | undefined;
}

/** Defaults to the last days up to today. */
export function wholePeriod<Query extends Days>({ from, to, ...rest }: Query) {
  const last = to ?? dayOf(from === undefined ? Date.now() : Math.max(Date.now(), Date.parse(from)));
  return { ...rest, to: last, from: from ?? dayOf(Date.parse(last) - (DAYS_DEFAULT - 1) * DAY_MS) };
}

export function refusePeriod({ from, to }: Required<Days>, context: z.RefinementCtx): void {
  if (from! > to!) context.addIssue({ code: 'custom', path: ['to'], message: 'must not be before from' });
  else if ((Date.parse(to!) - Date.parse(from!)) / DAY_MS >= DAYS_MAX)
    context.addIssue({ code: 'custom', path: ['from'], message: `must not be more than ${DAYS_MAX} days before to` });
}

export const days = { from: day.optional(), to: day.optional() };

export const periodQuery = z.object(days).transform(wholePeriod).superRefine(refusePeriod);
