/**
 * Fields that bodies and answers are built from. Amounts are naira outside (`billed_amount: 125`) and kobo inside. Instants are ISO 8601 in UTC with
 * milliseconds. Each resource has one file in this folder: its body, its query, its answer and the function that shows a row.
 */
import { z } from 'zod';

export const text = z.string();

export const count = z.int();

export const amount = z.number().describe('Naira');

export const instant = z.iso.datetime();

export const instantOrNull = instant.nullable();

/** Whether the day or time is in a year that ISO text and Postgres write with four digits, in UTC. */
export const hasUsualYear = (text: string): boolean => Date.parse(text) >= Date.UTC(1000) && Date.parse(text) < Date.UTC(10_000);

export const YEARS_RULE = 'must be in a year from 1000 to 9999';

/** A time in a body. */
export const sentTime = (error = 'must be an ISO time with an offset') =>
  z.iso.datetime({ offset: true, error, abort: true }).refine(hasUsualYear, YEARS_RULE);

export const naira = (kobo: number): number => kobo / 100;

export const kobo = (naira: number): number => Math.round(naira * 100);

/** Milliseconds, UTC: `2026-11-21T09:30:00.000Z`. */
export const showInstant = (text: string): string => new Date(text).toISOString();

export const showInstantOrNull = (text: string | null): string | null => (text === null ? null : showInstant(text));

/** Text that Postgres and JSON can both hold: no NUL, no lone surrogate. */
export const cleanText = (max: number) =>
  z
    .string()
    .min(1, { abort: true })
    .max(max, `must be at most ${max} characters`)
    .refine((text) => text.isWellFormed() && !text.includes('\u0000'), 'must not contain NUL or unpaired surrogates');

/** Invisible characters: control and format characters (direction marks, zero-width spaces), line separators, ignorable letters and the Braille blank. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** A person's name as shown to others: trimmed, and without characters that hide or reorder text. */
export const shownName = (max: number) =>
  z
    .string('must be a string')
    .trim()
    .min(1, 'must not be blank')
    .max(max, `must be at most ${max} characters`)
    .refine((text) => !UNSEEN.test(text), 'must not contain line breaks, direction marks or other invisible characters');

/** Naira, in whole kobo. */
const inWholeKobo = (schema: z.ZodNumber, max: number) =>
  schema
    .max(max, { abort: true })
    // A tolerance would refuse hundreds of millions with kobo, and let a billionth of a naira pass as none.
    .refine((n) => Number.isSafeInteger(kobo(n)) && naira(kobo(n)) === n, 'must be in naira, with at most two decimals');

export const nairaUpTo = (max: number) => inWholeKobo(z.number().nonnegative({ abort: true }), max);

export const nairaAboveZero = (max: number) => inWholeKobo(z.number().positive({ abort: true }), max);

export const AMOUNT_MAX = 1_000_000_000;
