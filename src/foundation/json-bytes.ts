/** Finds values in JSON as `JSON.stringify` writes it (UTF-8, without spaces), so that most of it need not be parsed. */

/** JSON among other bytes, from `start` to before `end`. */
export interface JsonBytes {
  bytes: Buffer;
  start: number;
  end: number;
}

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
const COMMA = 0x2c;
export const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** A text is searched byte by byte up to this length: for short texts that is faster than `indexOf`. */
const SHORT_BYTES = 48;

/** Where the value that begins at `start` ends: the position of the comma or bracket behind it. -1 if there is none. */
export function endOfValue(json: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = endOfText(json, at);
      if (at === -1) return -1;
    } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) depth++;
    else if (depth === 0 && (byte === COMMA || byte === CLOSE_BRACKET)) return at;
    else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth--;
  }
  return -1;
}

/** The quote that closes the one at `start`. */
function endOfText(json: Buffer, start: number): number {
  const near = Math.min(json.length, start + SHORT_BYTES);
  for (let at = start + 1; at < near; at++) {
    const byte = json[at];
    if (byte === QUOTE) return at;
    // The byte after a backslash ends nothing.
    if (byte === BACKSLASH) return endOfEscaped(json, at);
  }
  return endOfEscaped(json, near);
}

/** The same from a place within the text that is not escaped. */
function endOfEscaped(json: Buffer, from: number): number {
  for (let end = json.indexOf(QUOTE, from); end !== -1; end = json.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (end - 1 - escapes >= from && json[end - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return -1;
}

export const parseBytes = ({ bytes, start, end }: JsonBytes): unknown => JSON.parse(bytes.toString('utf8', start, end));
