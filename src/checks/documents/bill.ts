/**
 * Extracts from the text of an electricity bill (typed, or read off a picture elsewhere) what identifies the supply. Every company words and lays out
 * its bills differently, so it looks for labels, never for positions.
 */

export interface Bill {
  /** The meter's 11 or 13 digits; the account's if the bill has no meter number. */
  meterNumber: string | null;
  name: string | null;
  address: string | null;
}

/** Labels, in cells whose words are separated by single spaces. None has an unbounded part: the text after a label is cut off, not matched. */
const METER = /^(?:(?:prepaid|electricity|energy) )?(?:meter|mtr) ?(?:serial ?)?(?:no|number|num|id)?\b/i;
const ACCOUNT = /^(?:(?:customer|electricity) )?(?:account|acct|a\/c) ?(?:no|number|num|id)?\b/i;
const NAME =
  /^(?:(?:customer|account|consumer|subscriber)(?:['’]s)? (?:full )?(?:name|holder)|(?:full )?name|bill(?:ed)? to|customer(?= ?:))(?: name)?\b/i;
const ADDRESS = /^(?:(?:service|supply|billing|customer|premises?|installation|house|residential|delivery)(?:['’]s)? )?(?:address|addr)\b/i;
/** Between a label and its value. */
const SEPARATORS = /^[ .:#=-]+/;

const SUPPLY_NUMBER = /^(?:\d[\s-]?){10}(?:\d|\d(?:[\s-]?\d){2})$/;
const NAME_VALUE = /^(?=.*\p{L}{2})[^\d:]{3,100}$/u;
const ADDRESS_VALUE = /\p{L}{2}/u;
/** Lines of an address after the first. */
const ADDRESS_LINES_MORE = 2;
/** No value is longer. The rest of a longer cell is not read. */
const CELL_CHARACTERS_MAX = 300;

export function parseBill(text: string): Bill {
  // A line may hold several columns: `Name: …   Meter No: …`, `Name | …`.
  const cells = text
    .split(/[\r\n|\t]+| {3,}/)
    .map((cell) => cell.slice(0, CELL_CHARACTERS_MAX).replace(/\s+/g, ' ').trim())
    .filter(Boolean);
  const number = labelled(cells, METER, SUPPLY_NUMBER) ?? labelled(cells, ACCOUNT, SUPPLY_NUMBER);
  return {
    meterNumber: number?.value.replace(/\D/g, '') ?? null,
    name: labelled(cells, NAME, NAME_VALUE)?.value ?? null,
    address: addressOf(cells),
  };
}

/** The first value of the right form after the label, or in the cell after a bare label. */
function labelled(cells: string[], label: RegExp, form: RegExp): { value: string; at: number } | null {
  for (const [index, cell] of cells.entries()) {
    const found = label.exec(cell)?.[0];
    if (found === undefined) continue;
    const behind = cell.slice(found.length).replace(SEPARATORS, '');
    const at = behind === '' ? index + 1 : index;
    const value = behind || cells[at];
    if (value !== undefined && form.test(value)) return { value, at };
  }
  return null;
}

/** An address continues until the next label. */
function addressOf(cells: string[]): string | null {
  const first = labelled(cells, ADDRESS, ADDRESS_VALUE);
  if (!first) return null;
  const more = cells.slice(first.at + 1, first.at + 1 + ADDRESS_LINES_MORE);
  const end = more.findIndex((cell) => cell.includes(':') || [METER, ACCOUNT, NAME].some((label) => label.test(cell)));
  return [first.value, ...(end === -1 ? more : more.slice(0, end))].join(', ');
}
