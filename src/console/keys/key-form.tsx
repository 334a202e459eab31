/** The terms of a new key, or of one that is changed. */
import { useMemo, useState } from 'preact/hooks';
import type { Key, KeyTerms, NewKey, Scope } from '../../client/keys.ts';
import { checkName, DAY_MS, time } from '../format.ts';
import { Choices, textIn, Wrong } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { NairaField } from '../parts/naira-field.tsx';
import { useResource } from '../parts/resource.tsx';
import { client, mode } from '../state.ts';
import { scopeWords } from '../words.ts';

/** A key neither reveals nor approves: only people do. */
const SCOPES = (Object.keys(scopeWords) as Scope[]).filter((scope) => scope !== 'reveal' && scope !== 'approve');

const EXPIRIES = [
  ['', 'Never'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const;

/** Null stands for everything. */
function Some({
  legend,
  all,
  name,
  options,
  chosen,
  onChange,
}: {
  legend: string;
  all: string;
  name: string;
  options: { value: string; label: string; note?: string }[];
  chosen: string[] | null;
  onChange: (chosen: string[] | null) => void;
}) {
  return (
    <div class="stack tight">
      <Choices
        legend={legend}
        type="radio"
        name={name}
        options={[
          { value: 'all', label: all },
          { value: 'some', label: 'Only some' },
        ]}
        chosen={[chosen === null ? 'all' : 'some']}
        onChange={([one]) => onChange(one === 'all' ? null : [])}
      />
      {chosen !== null && (
        <div class="inset">
          <Choices
            legend={`${legend}: which`}
            isLegendUnseen
            type="checkbox"
            name={`${name}-some`}
            options={options}
            chosen={chosen}
            onChange={onChange}
          />
        </div>
      )}
    </div>
  );
}

/** `of` null: a new key. `onDone` gets the key, a new one with its text. */
export function KeyForm({ of: before, onClose, onDone }: { of: Key | null; onClose: () => void; onDone: (key: Key | NewKey) => void }) {
  const [scopes, setScopes] = useState<string[] | null>(before ? before.scopes : ['verify', 'results:read']);
  const [checks, setChecks] = useState<string[] | null>(before ? before.checks : null);
  const prices = useResource('prices', (signal) => client.money.prices(signal));
  // If the request is sent again, it must be exactly the same.
  const openedAt = useMemo(Date.now, []);

  const send = async (entered: FormData, idempotencyKey: string) => {
    const text = (name: string) => textIn(entered, name);
    if (scopes?.length === 0) throw new Wrong('Choose at least one thing that the key may do.');
    if (checks?.length === 0) throw new Wrong('Choose at least one check, or all.');
    const addresses = text('addresses')
      .split(/[\s,]+/)
      .filter(Boolean);
    const expiry = text('expires');
    const terms: KeyTerms = {
      name: text('name') || null,
      scopes: scopes as Scope[] | null,
      checks,
      addresses: addresses.length > 0 ? addresses : null,
      daily_cap: text('cap') === '' ? null : Number(text('cap')),
      ...(expiry !== 'as-is' && { expires_at: expiry === '' ? null : new Date(openedAt + Number(expiry) * DAY_MS).toISOString() }),
    };
    onDone(before ? await client.keys.change(before.id, terms) : await client.keys.create(terms, { idempotencyKey }));
  };
  return (
    <FormDialog
      title={before ? `Change ${before.name ?? 'the key'}` : `New ${mode.value} key`}
      verb={before ? 'Save' : 'Make the key'}
      onClose={onClose}
      onSubmit={send}
    >
      <label class="field">
        <span>Name</span>
        <input name="name" maxLength={100} defaultValue={before?.name ?? ''} placeholder="Nightly upload" autocomplete="off" />
      </label>
      <Some
        legend="May do"
        all="Everything"
        name="scopes"
        options={SCOPES.map((scope) => ({ value: scope, label: scopeWords[scope], note: scope }))}
        chosen={scopes}
        onChange={setScopes}
      />
      <Some
        legend="Checks"
        all="All checks, including future ones"
        name="checks"
        options={(prices.data?.data ?? []).map(({ check }) => ({ value: check, label: checkName(check) }))}
        chosen={checks}
        onChange={setChecks}
      />
      <label class="field">
        <span>Expires</span>
        <select name="expires">
          {before?.expires_at && <option value="as-is">{time(before.expires_at)}</option>}
          {EXPIRIES.map(([days, word]) => (
            <option key={days} value={days}>
              {word}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Networks it may be used from</span>
        <textarea name="addresses" rows={2} defaultValue={before?.addresses?.join('\n') ?? ''} placeholder="Any" />
        <small class="soft">One per line, such as 203.0.113.0/24. Empty: any.</small>
      </label>
      <NairaField label="Daily cap, in naira" name="cap" value={before?.daily_cap} placeholder="No cap" />
    </FormDialog>
  );
}
