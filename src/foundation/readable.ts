/**
 * Makes text from outside (uploads, registries, publishers of lists) safe to read in a file or a terminal. An escape sequence could control the terminal that prints
 * it, and a mark of direction could show its letters in another order.
 */

/** Embeddings, overrides and isolates. The marks that Arabic and Hebrew need (U+200E, U+200F, joiners) only affect themselves. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** Without marks of direction, and with U+FFFD for every control character except tabs and line breaks. */
export const readable = (text: string): string => text.replace(DIRECTION, '').replace(CONTROL, '\ufffd');
