/** The subject's consent, for apps that must state it. */

export interface Consent {
  reference: string;
  purpose: string;
  /** As `<input type="datetime-local">` gives it: the time where the browser is. */
  obtainedAt: string;
}

export const NO_CONSENT: Consent = { reference: '', purpose: '', obtainedAt: '' };

/** Undefined unless everything is given. */
export const consentOf = ({ reference, purpose, obtainedAt }: Consent) =>
  reference && purpose && obtainedAt ? { reference, purpose, obtained_at: new Date(obtainedAt).toISOString() } : undefined;

export function ConsentFields({ consent, onChange }: { consent: Consent; onChange: (consent: Consent) => void }) {
  const isBegun = Object.values(consent).some((value) => value !== '');
  const field = (name: keyof Consent, label: string, type: 'text' | 'datetime-local' = 'text') => (
    <label class="field">
      <span>{label}</span>
      <input
        type={type as 'text'}
        maxLength={200}
        required={isBegun}
        value={consent[name]}
        onInput={(event) => onChange({ ...consent, [name]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <details>
      <summary>Consent of the person</summary>
      <div class="form inner">
        <p class="soft small">Some apps must state it with every live call. It is kept, encrypted, with the call.</p>
        {field('reference', 'Where you keep it')}
        {field('purpose', 'What it covers')}
        {field('obtainedAt', 'When it was given', 'datetime-local')}
      </div>
    </details>
  );
}
