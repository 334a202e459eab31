import { fieldName } from '../job/field-name.ts';

/** What the API says of a column that may be an optional input. */
const UNREAD = /; if it is (\w+), send map\.\S+$/;

/** `Date of birth` → `date of birth`; abbreviations stay. */
const midSentence = (name: string): string => name.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());

/** What is wrong with a value, with what the page of uploads offers instead of the API's options. */
export const inWords = (message: string): string =>
  message
    .replace('; for 01/31/1990 send date_format=mdy)', '; for 01/31/1990 choose “month, day, year” when you upload)')
    .replace(/, as date_format=\w+ says/, '')
    .replace(UNREAD, (_, input: string) => ` as ${midSentence(fieldName(input))}`);
