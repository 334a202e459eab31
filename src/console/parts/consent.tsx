/** The lawful basis of what is looked up, such as the subject's consent. Optional, unless the operator requires it for the app. */
import type { CallOptions } from '../../client/checks.ts';
import { codeWords } from '../format.ts';
import { client, mode } from '../state.ts';
import { useResource } from './resource.tsx';

type Basis = NonNullable<NonNullable<CallOptions['consent']>['basis']>;

export interface Consent {
  basis: Basis;
  purpose: string;
  reference: string;
  /** As `<input type="datetime-local">` gives it: the time where the browser is. */
  obtainedAt: string;
}

export const NO_CONSENT: Consent = { basis: 'consent', purpose: '', reference: '', obtainedAt: '' };

const BASES: readonly Basis[] = ['consent', 'contract', 'legal_obligation', 'vital_interest', 'public_interest', 'legitimate_interest'];

/** Undefined unless everything is given. */
export const consentOf = ({ basis, purpose, reference, obtainedAt }: Consent) =>
  purpose && reference && obtainedAt ? { reference, purpose, obtained_at: new Date(obtainedAt).toISOString(), basis } : undefined;

interface Props {
  /** Whose it is. */
  legend: string;
  consent: Consent;
  onChange: (consent: Consent) => void;
}

export function ConsentFields({ legend, consent, onChange }: Props) {
  const settings = useResource('settings', (signal) => client.settings.read(signal));
  const isRequired = mode.value === 'live' && settings.data?.consent_required === true;
  const isBegun = JSON.stringify(consent) !== JSON.stringify(NO_CONSENT);
  const field = (name: Exclude<keyof Consent, 'basis'>, label: string, type: 'text' | 'datetime-local' = 'text') => (
    <label class="field">
      <span>{label}</span>
      <input
        type={type as 'text'}
        maxLength={200}
        required={isRequired || isBegun}
        value={consent[name]}
        onInput={(event) => onChange({ ...consent, [name]: event.currentTarget.value })}
      />
    </label>
  );
  const fields = (
    <div class="filters">
      <label class="field">
        <span>Lawful basis</span>
        <select value={consent.basis} onChange={(event) => onChange({ ...consent, basis: event.currentTarget.value as Basis })}>
          {BASES.map((basis) => (
            <option key={basis} value={basis}>
              {codeWords(basis)}
            </option>
          ))}
        </select>
      </label>
      {field('purpose', 'Purpose')}
      {field('reference', 'Where it is recorded')}
      {field('obtainedAt', 'Since when it holds', 'datetime-local')}
    </div>
  );
  if (isRequired)
    return (
      <fieldset class="plain stack tight">
        <legend>{legend}</legend>
        <p class="soft small">
          This app needs the customers’ consent, or another lawful basis, for live checks: say on what basis, for what purpose, and where it
          is recorded.
        </p>
        {fields}
      </fieldset>
    );
  return (
    // The browser cannot show what is missing while it is closed.
    <details onInvalidCapture={(event) => (event.currentTarget.open = true)}>
      <summary>{legend}</summary>
      <div class="stack tight">
        <p class="soft small">Optional. It is kept, encrypted, with the work. The page Privacy counts look-ups by purpose and basis.</p>
        {fields}
      </div>
    </details>
  );
}
