/** What was submitted beside what was found, as far as there is either, field by field; what has members of its own is opened below. */

import type { Worded } from '../format.ts';
import { State } from '../parts/common.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { agreement, comparison, plain } from './agreement.ts';
import { isCompared } from './compared.ts';
import { fieldName } from './field-name.ts';
import { Members } from './members.tsx';
import { isPlain, Value } from './value.tsx';

type Entity = Readonly<Record<string, unknown>>;

/** What checks call an input, and what registries call it in their records. */
const SAME: readonly (readonly string[])[] = [
  ['first_name', 'firstname'],
  ['last_name', 'surname', 'lastname'],
  ['middle_name', 'middlename'],
  ['dob', 'date_of_birth', 'birthdate', 'dateofbirth'],
  ['phone_number', 'phone', 'telephoneno', 'phonenumber'],
  ['rc_number', 'rcnumber'],
  ['name', 'full_name', 'company_name'],
  ['email', 'email_address'],
];

/** The name that a field has here, whatever a check or a registry calls it. */
const groupOf = (name: string): string => SAME.find((names) => names.some((one) => plain(one) === plain(name)))?.[0] ?? plain(name);

interface Line {
  name: string;
  submitted: unknown;
  found: unknown;
  /** Null where nothing was compared, neither by the check nor here. */
  agrees: Worded | null;
}

function linesOf(submitted: Entity, found: Entity): Line[] {
  const lines = new Map<string, Line>();
  const lineOf = (name: string): Line => {
    const line = lines.get(groupOf(name)) ?? { name, submitted: null, found: null, agrees: null };
    lines.set(groupOf(name), line);
    return line;
  };
  for (const [name, value] of Object.entries(submitted)) if (isPlain(value)) lineOf(name).submitted = value;
  for (const [name, value] of Object.entries(found)) {
    if (isPlain(value)) lineOf(name).found = value;
    if (!isCompared(value)) continue;
    const line = lineOf(name);
    line.submitted ??= value.value;
    line.agrees = comparison(value);
  }
  return [...lines.values()].map((line) => ({ ...line, agrees: line.agrees ?? agreement(line.submitted, line.found) }));
}

const FIELD: Column<Line> = { name: 'Field', isHead: true, cell: ({ name }) => fieldName(name) };
const SUBMITTED: Column<Line> = { name: 'Submitted', style: 'text', cell: (line) => <Value of={line.submitted} name={line.name} /> };
const FOUND: Column<Line> = { name: 'Found', style: 'text', cell: (line) => <Value of={line.found} name={line.name} /> };
const AGREEMENT: Column<Line> = {
  name: 'Agreement',
  cell: ({ agrees }) => agrees && <State {...agrees} />,
};

export function Fields({ submitted, found }: { submitted: Entity | null; found: Entity | null }) {
  const lines = linesOf(submitted ?? {}, found ?? {});
  const rest = Object.entries(found ?? {}).filter(([name, value]) => !isPlain(value) && !isCompared(value) && name !== 'hits');
  // A match finds no values, it only compares. Masked values cannot be compared here.
  const hasSubmitted = submitted !== null || lines.some((line) => line.submitted !== null);
  const hasFound = found !== null && (rest.length > 0 || lines.some((line) => line.found !== null));
  const hasAgreement = lines.some(({ agrees }) => agrees !== null);
  if (lines.length === 0 && rest.length === 0) return null;
  const what = [hasSubmitted && 'submitted', hasFound ? 'found' : found && 'compared'].filter(Boolean).join(' and ');
  return (
    <section class="card" aria-labelledby="found">
      <header>
        <h2 id="found">{what[0]!.toUpperCase() + what.slice(1)}</h2>
      </header>
      <Table
        name="Fields"
        caption={`Each field as it was ${what}`}
        rows={lines}
        keyOf={({ name }) => name}
        columns={[FIELD, ...(hasSubmitted ? [SUBMITTED] : []), ...(hasFound ? [FOUND] : []), ...(hasAgreement ? [AGREEMENT] : [])]}
      />
      {rest.map(([name, value]) => (
        <Members key={name} name={name} of={value} />
      ))}
    </section>
  );
}
