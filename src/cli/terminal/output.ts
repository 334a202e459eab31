/**
 * What a command prints: for people aligned and, in a terminal, in colour; with `--json` one JSON document on standard output and nothing else there.
 * Notes, questions and progress go to standard error.
 */
import { once } from 'node:events';
import { json, plain, width } from './text.ts';

type Tone = 'good' | 'warn' | 'bad' | 'soft' | 'strong';

const CODES: Readonly<Record<Tone, string>> = { good: '32', warn: '33', bad: '31', soft: '2', strong: '1' };

/** A column of a list (`tables.ts`). */
export interface Column<Row> {
  title: string;
  of(row: Row): string;
  isNumber?: boolean;
  tone?(row: Row): Tone | null;
}

export interface Output {
  isJson: boolean;
  /** A line for people; with `--json` nothing. */
  line(text?: string): void;
  /** A remark on standard error, in every mode. */
  note(text: string): void;
  /** The answer of the command. `people` prints it without `--json`. */
  answer(value: unknown, people: () => void): void;
  /** A list: an array with `--json`, else a table, or `none` if it is empty. */
  list<Row>(rows: readonly Row[], columns: readonly Column<Row>[], none: string): void;
  /** Names and values, one a line. Empty values are left out. */
  facts(facts: readonly (readonly [name: string, value: string | number | null | undefined])[]): void;
  paint(tone: Tone | null, text: string): string;
}

const isColoured = (stream: NodeJS.WriteStream): boolean => stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';

export function openOutput({ json: isJson = false }: { json?: boolean }): Output {
  const coloured = isColoured(process.stdout);
  const paint: Output['paint'] = (tone, text) => (coloured && tone ? `\x1b[${CODES[tone]}m${text}\x1b[0m` : text);
  const write = (text: string): void => void process.stdout.write(`${text}\n`);
  const line: Output['line'] = (text = '') => {
    if (!isJson) write(text);
  };
  return {
    isJson,
    line,
    note: (text) => void process.stderr.write(`${plain(text, { lines: true })}\n`),
    answer(value, people) {
      if (isJson) write(json(value, 2));
      else people();
    },
    list(rows, columns, none) {
      if (isJson) write(json(rows, 2));
      else if (rows.length === 0) line(none);
      else for (const text of table(rows, columns, paint)) line(text);
    },
    facts(facts) {
      const shown = facts.filter(([, value]) => value !== null && value !== undefined && value !== '');
      const widest = Math.max(0, ...shown.map(([name]) => width(plain(name))));
      for (const [name, value] of shown) {
        line(
          `${paint('soft', plain(name).padEnd(widest))}  ${plain(String(value), { lines: true }).replaceAll('\n', `\n${' '.repeat(widest + 2)}`)}`,
        );
      }
    },
    paint,
  };
}

function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], paint: Output['paint']): string[] {
  const cells = rows.map((row) => columns.map((column) => plain(column.of(row))));
  const widths = columns.map(({ title }, at) => Math.max(width(title), ...cells.map((row) => width(row[at]!))));
  const pad = (text: string, at: number): string => {
    const space = ' '.repeat(widths[at]! - width(text));
    return columns[at]!.isNumber ? space + text : text + space;
  };
  const head = columns.map(({ title }, at) => pad(title, at)).join('  ');
  const lines = cells.map((row, index) =>
    row
      .map((text, at) => paint(columns[at]!.tone?.(rows[index]!) ?? null, pad(text, at)))
      .join('  ')
      .trimEnd(),
  );
  return [paint('soft', head.trimEnd()), ...lines];
}

/** A piece of a file on standard output, at the pace of its reader. */
export async function writeOut(piece: Uint8Array): Promise<void> {
  if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
}

/** Resolves when everything printed is out, so that the process may end. */
export const flushed = (): Promise<void> =>
  new Promise((resolve) => {
    process.stdout.write('', () => setImmediate(resolve));
  });
