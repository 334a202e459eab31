/** Fields for every identifier by which a person may be found. */
import { useState } from 'preact/hooks';
import { Refused } from '../../client/errors.ts';
import type { Identifier } from '../../client/subjects.ts';
import { withoutGroups } from '../parts/digits.ts';
import { textIn, Wrong } from '../parts/form.tsx';

type Kind = Identifier['type'];

const KINDS: Readonly<Record<Kind, { name: string; label: string; hint?: string }>> = {
  nin: { name: 'NIN', label: 'NIN', hint: '11 digits' },
  bvn: { name: 'BVN', label: 'BVN', hint: '11 digits' },
  phone: { name: 'Phone', label: 'Phone number', hint: '0803 123 4567' },
  email: { name: 'E-mail', label: 'E-mail address' },
  passport: { name: 'Passport', label: 'Passport number', hint: 'A letter and 8 digits' },
  drivers_license: { name: 'Driver’s licence', label: 'Licence number', hint: 'ABC12345DE67' },
  voter_card: { name: 'Voter card', label: 'Voter identification number' },
  meter: { name: 'Electricity meter', label: 'Meter number', hint: '11 or 13 digits' },
  tin: { name: 'TIN', label: 'Tax number' },
  person: { name: 'Name', label: 'Full name, as it was screened' },
};
const NUMERIC: ReadonlySet<Kind> = new Set(['nin', 'bvn', 'phone', 'meter']);
const MOST = 20;

/** By the API's name of the kind. */
export const kindName = (kind: string): string => KINDS[kind as Kind]?.name ?? kind;

/** What was entered in `Identifiers`. */
function identifiersIn(entered: FormData): Identifier[] {
  const rows = [...entered.keys()].flatMap((name) => /^kind-(\d+)$/.exec(name)?.[1] ?? []);
  return rows.map((row) => {
    const type = textIn(entered, `kind-${row}`) as Kind;
    const value = textIn(entered, `value-${row}`);
    if (type !== 'person') return { type, value: NUMERIC.has(type) ? withoutGroups(value) : value };
    const born = textIn(entered, `born-${row}`);
    return { type, name: value, ...(born && { date_of_birth: born }) };
  });
}

const PLACE = /^identifiers\.(\d+)\.(\w+)$/;

/** Sends a request about the entered identifiers. If it is refused, the error names fields by their labels: `Passport number must be a letter and 8 or 9 digits`. */
export async function askAbout<Answer>(entered: FormData, ask: (identifiers: Identifier[]) => Promise<Answer>): Promise<Answer> {
  const identifiers = identifiersIn(entered);
  try {
    return await ask(identifiers);
  } catch (error) {
    if (!(error instanceof Refused) || !error.details.some(({ path }) => PLACE.test(path))) throw error;
    const sentences = error.details.map(({ path, message }) => {
      const [, at, member] = PLACE.exec(path) ?? [];
      const kind = identifiers[Number(at)]?.type;
      const name = member === 'date_of_birth' ? 'Born' : kind && KINDS[kind].label;
      return `${name ?? path} ${message}`;
    });
    throw new Wrong(`${sentences.join('; ')}.`);
  }
}

export function Identifiers() {
  const [rows, setRows] = useState<{ key: number; kind: Kind }[]>([{ key: 0, kind: 'nin' }]);
  const choose = (key: number, kind: Kind) => setRows(rows.map((row) => (row.key === key ? { key, kind } : row)));
  return (
    <fieldset class="stack people">
      <legend>Every identifier you have for the person</legend>
      {rows.map(({ key, kind }, at) => (
        <div key={key} class="person-by">
          <label class="field">
            <span>
              By<span class="unseen"> ({at + 1})</span>
            </span>
            <select name={`kind-${key}`} value={kind} onChange={(event) => choose(key, event.currentTarget.value as Kind)}>
              {(Object.keys(KINDS) as Kind[]).map((one) => (
                <option key={one} value={one}>
                  {KINDS[one].name}
                </option>
              ))}
            </select>
          </label>
          <label class="field grows">
            <span>{KINDS[kind].label}</span>
            <input
              name={`value-${key}`}
              type="text"
              inputMode={NUMERIC.has(kind) ? 'numeric' : kind === 'email' ? 'email' : 'text'}
              placeholder={KINDS[kind].hint}
              maxLength={200}
              autocomplete="off"
              required
            />
          </label>
          {kind === 'person' && (
            <label class="field">
              <span>Born</span>
              <input name={`born-${key}`} type="date" />
            </label>
          )}
          {rows.length > 1 && (
            <button type="button" class="plain" onClick={() => setRows(rows.filter((row) => row.key !== key))}>
              Remove<span class="unseen"> number {at + 1}</span>
            </button>
          )}
        </div>
      ))}
      {rows.length < MOST && (
        <div>
          <button type="button" onClick={() => setRows([...rows, { key: rows.at(-1)!.key + 1, kind: 'phone' }])}>
            Add another
          </button>
        </div>
      )}
    </fieldset>
  );
}
