/** An app's settings: those that most operators change, as a form, and all that were set. */
import { useState } from 'preact/hooks';
import type { App } from '../../client/operator.ts';
import { changesOf, textIn } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { NairaField } from '../parts/naira-field.tsx';
import { say } from '../parts/toasts.tsx';
import { client } from '../state.ts';
import { riskWords } from '../words.ts';
import { settingLines } from './settings-words.ts';

type Settings = App['settings'];

export function AppSettings({ app, onChanged }: { app: App; onChanged: (settings: Settings) => void }) {
  const [isOpen, setOpen] = useState(false);
  const lines = settingLines(app.settings);
  return (
    <section class="card" aria-labelledby="settings">
      <header>
        <h2 id="settings">Settings</h2>
        {app.deleted_at === null && (
          <div class="actions">
            <button type="button" onClick={() => setOpen(true)}>
              Change settings
            </button>
          </div>
        )}
      </header>
      <div class="body stack">
        {lines.length > 0 && (
          <dl class="lines">
            {lines.map(([label, value]) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        )}
        <p class="soft small">
          {lines.length > 0 ? 'Settings that are not listed have their defaults.' : 'All settings have their defaults.'} Those that this
          page does not offer are changed with PATCH /api/v1/admin/apps/{'{id}'}.
        </p>
      </div>
      {isOpen && (
        <SettingsForm
          app={app}
          onClose={() => setOpen(false)}
          onDone={(settings) => {
            setOpen(false);
            onChanged(settings);
          }}
        />
      )}
    </section>
  );
}

const CHECKED = [
  ['consentRequired', 'Live checks need the customer’s consent'],
  ['secondFactorRequired', 'People need a second factor'],
] as const;

const AMOUNTS = [
  ['lowBalance', 'Low balance, in naira', 'Webhooks are told when the live wallet falls below it.', 'No alarm'],
  ['dailyCap', 'Daily cap, in naira', null, 'No cap'],
  ['batchCap', 'Batch cap, in naira', null, 'No cap'],
] as const;

const NUMBERS = [...AMOUNTS.map(([name]) => name), 'storageGb'];

const REVIEWED = [
  ['face', 'Faces that match only in part'],
  ['liveness', 'Selfies that may not be live'],
] as const;

/** The member of the request, by which a refusal finds the label. */
const field = (name: string): string => `settings.${name}`;

function SettingsForm({
  app: { id, name, settings },
  onDone,
  onClose,
}: {
  app: App;
  onDone: (settings: Settings) => void;
  onClose: () => void;
}) {
  const reviews = (settings.reviews ?? {}) as Record<string, unknown>;
  const send = async (entered: FormData) => {
    const isOn = (name: string) => entered.get(field(name)) === 'on';
    const next: Settings = {};
    for (const [name] of CHECKED) next[name] = isOn(name) || (settings[name] === undefined ? undefined : false);
    for (const name of NUMBERS) {
      const text = textIn(entered, field(name));
      next[name] = text === '' ? (settings[name] === undefined ? undefined : null) : Number(text);
    }
    const opened = { ...reviews };
    for (const name of [...REVIEWED.map(([name]) => name), 'twoPerson'])
      if (isOn(name) || reviews[name] !== undefined) opened[name] = isOn(name);
    const level = textIn(entered, field('amlLevel'));
    if (level !== '' || reviews.amlLevel !== undefined) opened.amlLevel = level === '' ? null : level;
    const changes = {
      ...changesOf(settings, next),
      ...(JSON.stringify(opened) !== JSON.stringify(reviews) && { reviews: opened }),
    };
    if (Object.keys(changes).length === 0) return onClose();
    const changed = await client.operator.changeApp(id, changes);
    say('The settings are saved.');
    onDone(changed.settings);
  };
  return (
    <FormDialog title={`Settings of ${name}`} verb="Save" onClose={onClose} onSubmit={send}>
      {CHECKED.map(([name, label]) => (
        <label key={name} class="check">
          <input type="checkbox" name={field(name)} defaultChecked={settings[name] === true} />
          {label}
        </label>
      ))}
      {AMOUNTS.map(([name, label, note, absent]) => (
        <NairaField
          key={name}
          label={label}
          note={note}
          name={field(name)}
          value={settings[name] as number | undefined}
          placeholder={absent}
        />
      ))}
      <label class="field">
        <span>Storage, in GB</span>
        <input
          name={field('storageGb')}
          type="number"
          min="0"
          step="any"
          inputMode="decimal"
          defaultValue={settings.storageGb === undefined ? '' : String(settings.storageGb)}
          placeholder="No limit"
        />
      </label>
      <fieldset class="choices">
        <legend>Review cases are opened for</legend>
        {REVIEWED.map(([name, label]) => (
          <label key={name}>
            <input type="checkbox" name={field(name)} defaultChecked={reviews[name] === true} />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      <label class="field">
        <span>Screenings with a hit open a case from this risk up</span>
        <select name={field('amlLevel')}>
          <option value="">Never</option>
          {Object.entries(riskWords).map(([level, word]) => (
            <option key={level} value={level} selected={level === reviews.amlLevel}>
              {word}
            </option>
          ))}
        </select>
      </label>
      <label class="check">
        <input type="checkbox" name={field('twoPerson')} defaultChecked={reviews.twoPerson === true} />
        Two people decide a case
      </label>
    </FormDialog>
  );
}
