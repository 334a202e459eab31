/** The form of a check, made from its declaration, and the call. */
import { useId, useState } from 'preact/hooks';
import type { Check, CheckInput } from '../../client/checks.ts';
import { LANGUAGES, type Language, programOf } from '../../client/code-samples.ts';
import { Refused } from '../../client/errors.ts';
import type { Price } from '../../client/money.ts';
import { naira } from '../format.ts';
import { fieldName } from '../job/field-name.ts';
import { Notice } from '../parts/common.tsx';
import { type Consent, ConsentFields, consentOf, NO_CONSENT } from '../parts/consent.tsx';
import { withoutGroups } from '../parts/digits.ts';
import { CodeView } from '../parts/json-view.tsx';
import { isSessionEnded } from '../parts/refusals.ts';
import { failureText, say } from '../parts/toasts.tsx';
import { app, client, mode } from '../state.ts';
import type { Answered } from './answer.tsx';
import { choiceWord, inputNote } from './inputs.ts';

type Values = Readonly<Record<string, string>>;

interface Props {
  check: Check;
  price: Price | undefined;
  answered: Answered | null;
  onAnswered: (answered: Answered | null) => void;
}

export function CallForm({ check, price, answered, onAnswered }: Props) {
  const [values, setValues] = useState<Values>({});
  const [files, setFiles] = useState<Values>({});
  const [isFresh, setFresh] = useState(false);
  const [consent, setConsent] = useState<Consent>(NO_CONSENT);
  const [isBusy, setBusy] = useState(false);
  const set = (name: string, value: string) => setValues((before) => ({ ...before, [name]: value }));
  const isDigits = (name: string) => check.inputs.some((input) => input.name === name && input.form === 'digits');
  const given = Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value.trim() === '' ? [] : [[name, isDigits(name) ? withoutGroups(value) : value]])),
  );
  const call = async () => {
    setBusy(true);
    onAnswered(null);
    const began = performance.now();
    const took = () => Math.round(performance.now() - began);
    try {
      const answer = await client.checks.call(check, given, { ...(isFresh && { cache: 'refresh' as const }), consent: consentOf(consent) });
      onAnswered({ answer, error: null, tookMs: took() });
    } catch (error) {
      // Nothing was called. What was entered stays, to be sent after signing in again.
      if (isSessionEnded(error)) say(failureText(error), { isBad: true });
      else onAnswered({ answer: null, error, tookMs: took() });
    }
    setBusy(false);
  };
  const refused = answered?.error instanceof Refused ? answered.error : null;
  return (
    <div class="stack">
      <form
        class="card body form"
        aria-label={`Inputs of ${check.id}`}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) void call();
        }}
      >
        <Samples check={check} onChoose={setValues} values={values} />
        {check.inputs.map((input) => (
          <Field
            key={input.name}
            input={input}
            note={inputNote(check, input)}
            value={values[input.name] ?? ''}
            problem={refused?.details.find(({ path }) => path === input.name)?.message ?? null}
            onChange={(value) => set(input.name, value)}
            onFile={(name) => setFiles((before) => ({ ...before, [input.name]: name }))}
          />
        ))}
        {check.cacheable && (
          <label class="tick">
            <input type="checkbox" checked={isFresh} onChange={(event) => setFresh(event.currentTarget.checked)} />
            Look up again even if the cache has an answer
          </label>
        )}
        {mode.value === 'live' && <ConsentFields legend="Consent of the person" consent={consent} onChange={setConsent} />}
        <Cost check={check} price={price} />
        <div class="actions">
          <button type="submit" class="main" aria-disabled={isBusy} disabled={!check.available}>
            {isBusy ? 'Calling…' : mode.value === 'live' && price ? `Call for ${naira(price.price)}` : 'Call'}
          </button>
        </div>
      </form>
      <Code
        check={check}
        input={{ ...given, ...(isFresh && { cache: 'refresh' }) }}
        files={files}
        consent={mode.value === 'live' ? consentOf(consent) : undefined}
      />
    </div>
  );
}

function Samples({ check, values, onChoose }: { check: Check; values: Values; onChoose: (change: (before: Values) => Values) => void }) {
  if (check.samples.length === 0) return null;
  const images = check.inputs.filter(({ form }) => form === 'image').map(({ name }) => name);
  const choose = (input: Values) =>
    onChoose((before) => ({ ...Object.fromEntries(images.flatMap((name) => (before[name] ? [[name, before[name]]] : []))), ...input }));
  const isChosen = (input: Values) =>
    check.inputs.every(({ name, form }) => form === 'image' || (values[name] ?? '') === (input[name] ?? ''));
  return (
    <fieldset class="plain">
      <legend>Sandbox values</legend>
      <div class="chips">
        {check.samples.map(({ label, input }) => (
          <button key={label} type="button" aria-pressed={isChosen(input)} onClick={() => choose(input)}>
            {label}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

interface FieldProps {
  input: CheckInput;
  note: string;
  value: string;
  problem: string | null;
  onChange: (value: string) => void;
  onFile: (name: string) => void;
}

const MODES: Readonly<Record<string, 'numeric' | 'decimal' | undefined>> = { digits: 'numeric', number: 'decimal' };

function Field({ input, note, value, problem, onChange, onFile }: FieldProps) {
  const id = useId();
  const { name, form, required, choices } = input;
  const common = {
    id,
    name,
    required,
    'aria-describedby': `${id}-note`,
    'aria-invalid': problem !== null,
  };
  return (
    <div class="field">
      <label for={id}>
        {fieldName(name)} {!required && <span class="soft small">optional</span>}
      </label>
      {form === 'image' ? (
        <Picture {...common} value={value} onChange={onChange} onFile={onFile} />
      ) : form === 'choice' ? (
        <select {...common} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">{required ? 'Choose' : 'Not given'}</option>
          {choices!.map((choice) => (
            <option key={choice} value={choice}>
              {choiceWord(choice)}
            </option>
          ))}
        </select>
      ) : form === 'long_text' ? (
        <textarea {...common} rows={3} value={value} onInput={(event) => onChange(event.currentTarget.value)} />
      ) : (
        <input
          {...common}
          type={(form === 'date' ? 'date' : 'text') as 'text'}
          inputMode={MODES[form]}
          autocomplete="off"
          spellcheck={false}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
      <small id={`${id}-note`} class={problem ? 'problem' : 'soft'}>
        {problem ?? note}
      </small>
    </div>
  );
}

const PICTURE_BYTES_MAX = 10 * 1024 * 1024;

type PictureProps = Pick<FieldProps, 'value' | 'onChange' | 'onFile'> & { id: string; name: string; required: boolean };

/** A file, kept as base64 in the page and sent with the call. */
function Picture({ value, onChange, onFile, ...field }: PictureProps) {
  const [problem, setProblem] = useState('');
  const [url, setUrl] = useState('');
  const choose = (file: File | undefined) => {
    onChange('');
    setUrl('');
    setProblem(file && file.size > PICTURE_BYTES_MAX ? 'This file is larger than 10 MB. Choose a smaller one.' : '');
    if (!file || file.size > PICTURE_BYTES_MAX) return;
    const reader = new FileReader();
    reader.onload = () => {
      setUrl(String(reader.result));
      onChange(String(reader.result).replace(/^[^,]*,/, ''));
      onFile(file.name);
    };
    reader.onerror = () => setProblem('The file cannot be read. Choose it again.');
    reader.readAsDataURL(file);
  };
  return (
    <>
      <input {...field} type="file" accept="image/jpeg,image/png,image/webp" onChange={(event) => choose(event.currentTarget.files?.[0])} />
      {problem && (
        <p role="alert" class="problem">
          {problem}
        </p>
      )}
      {value && url && <img class="thumb" src={url} alt="What is sent" />}
    </>
  );
}

function Cost({ check, price }: { check: Check; price: Price | undefined }) {
  if (!check.available)
    return (
      <Notice tone="warn" title={`No provider answers this check in ${mode.value} mode.`}>
        <p>
          {mode.value === 'live'
            ? 'Your administrator can configure a vendor for it. Test mode answers it from the sandbox.'
            : 'Your administrator can configure it.'}
        </p>
      </Notice>
    );
  if (!price) return null;
  const cached = check.cacheable ? `, ${naira(price.cached_price)} from the cache` : '';
  if (mode.value === 'live')
    return (
      <Notice tone="warn" title={`This call costs ${naira(price.price)} of real money${cached}.`}>
        <p>
          It asks a vendor about a real person. A subject that is not on record costs nothing. {price.price_rule && `${price.price_rule}.`}
        </p>
      </Notice>
    );
  return (
    <p class="soft small">
      {naira(price.price)} of play money{cached}; nothing if there is no answer. {price.price_rule && `${price.price_rule}.`}
    </p>
  );
}

interface CodeProps {
  check: Check;
  input: Values;
  files: Values;
  consent: ReturnType<typeof consentOf>;
}

function Code({ check, input, files, consent }: CodeProps) {
  const [language, setLanguage] = useState<Language>('sh');
  const images = check.inputs.filter(({ name, form }) => form === 'image' && input[name] !== undefined).map(({ name }) => name);
  const shown = { ...input, ...Object.fromEntries(images.map((name) => [name, files[name] ?? `${name}.jpg`])) };
  const baseUrl = client.transport.addressed('').url.replace(/\/$/, '');
  const caller = { baseUrl: { text: baseUrl }, key: { env: 'CONFAM_KEY' }, app: { text: app.value!.id } };
  const code = programOf(language, caller, { check, input: shown, images, consent });
  return (
    <section class="card" aria-labelledby="code">
      <header>
        <h2 id="code">The same call as code</h2>
        <fieldset class="plain chips end" aria-label="Language">
          {LANGUAGES.map(([id, name]) => (
            <button key={id} type="button" aria-pressed={language === id} onClick={() => setLanguage(id)}>
              {name}
            </button>
          ))}
        </fieldset>
      </header>
      <CodeView name={`The call in ${LANGUAGES.find(([id]) => id === language)![1]}`} copied={code}>
        {code}
      </CodeView>
      <p class="soft small foot">
        Put a {mode.value} key of the app in <code>CONFAM_KEY</code>. TypeScript and Python use the <a href="../docs/clients">clients</a>.
      </p>
    </section>
  );
}
