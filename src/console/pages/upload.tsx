/** From a file of customers to a batch: look at it, choose checks, correct columns, send it, see the price, start. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { BatchDetail, Preview } from '../../client/client.ts';
import { isAbort, newKey } from '../../client/transport.ts';
import { fieldName } from '../job/field-name.ts';
import { Failure, Notice, Spoken, Waiting } from '../parts/common.tsx';
import { ConsentFields, consentOf, NO_CONSENT } from '../parts/consent.tsx';
import { useResource } from '../parts/resource.tsx';
import { mayLeave, unsaved } from '../router.ts';
import { client, epoch, lost } from '../state.ts';
import { Checks } from '../upload/checks.tsx';
import { Cells, Drop } from '../upload/file.tsx';
import { Mapping, Problems } from '../upload/mapping.tsx';
import { QuotePanel } from '../upload/quote.tsx';
import { FileChanged, quotedOf, refusalOf, type Sending, sampleOf, sendBatch } from '../upload/send.ts';

/** What the person has decided about the file. For everything else the service's proposal counts. */
interface Choice {
  checks: string[] | null;
  columns: Readonly<Record<string, string>>;
  sheet: string;
  dates: string;
}

const NO_CHOICE: Choice = { checks: null, columns: {}, sheet: '', dates: '' };

export default function UploadPage() {
  const [file, setFile] = useState<File | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [turn, setTurn] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const take = (files: readonly File[]) => {
    const [next] = files;
    // Another file takes the place of one that is still being sent.
    if (!next || !mayLeave()) return;
    const refusal = files.length > 1 ? 'Choose one file at a time: each becomes a batch of its own.' : refusalOf(next);
    setProblem(refusal);
    setFile(refusal === null ? next : null);
    setTurn(turn + 1);
  };
  const discarded = () => {
    setFile(null);
    field.current?.focus();
  };
  return (
    <>
      <div class="head">
        <h1>Upload</h1>
      </div>
      <Drop file={file} problem={problem} field={field} onFiles={take} />
      {file ? (
        <Uploading key={turn} file={file} onDone={discarded} />
      ) : (
        <p class="soft">
          You first see how the file is read, which columns match, which rows cannot be checked, and the price. Nothing is checked or
          charged before you start.
        </p>
      )}
    </>
  );
}

function Uploading({ file, onDone }: { file: File; onDone: () => void }) {
  const [choice, setChoice] = useState<Choice>(NO_CHOICE);
  const [batch, setBatch] = useState<BatchDetail | null>(null);
  const offered = useResource('checks', async (signal) => {
    const [checks, prices] = await Promise.all([client.checks.all(signal), client.money.prices(signal)]);
    return { prices: prices.data, available: new Set(checks.data.filter((check) => check.available).map(({ id }) => id)) };
  });
  const { preview, error, isCurrent, isOfChecks, readAgain } = usePreview(file, choice);
  // What was used the last time, or else what the file has most columns for.
  useEffect(() => {
    if (choice.checks !== null || preview === null || offered.data === null) return;
    const { available } = offered.data;
    const proposed = preview.saved_mapping?.checks ?? preview.suggested_checks.slice(0, 1).map(({ check }) => check);
    const answered = proposed.filter((check) => available.has(check));
    if (answered.length > 0) setChoice({ ...choice, checks: answered });
  }, [preview, offered.data]);
  if (error !== null && preview === null) return <FileFailure error={error} retry={readAgain} />;
  if (preview === null || offered.data === null)
    return offered.error ? <Failure error={offered.error} retry={offered.reload} /> : <Waiting what="Reading the file" />;
  const shown = {
    ...preview,
    mapping: preview.mapping.map((one) => withChoice(one, choice.columns[one.field])),
  };
  // What is shown is sent, with columns that the service reads only if they are named.
  shown.warnings = preview.warnings.filter(
    ({ code, message }) => code !== 'unread_column' || !shown.mapping.some(({ column }) => message.startsWith(`The column "${column}" `)),
  );
  if (batch)
    return (
      <QuotePanel
        batch={batch}
        quote={async (signal) => {
          const sample = await quotedOf(file, preview);
          return sample && { ...(await client.batches.quote(sample, queryOf(shown, choice), signal)), isSample: sample.isSample };
        }}
        onDiscard={onDone}
      />
    );
  const checks = choice.checks ?? [];
  return (
    <>
      {error !== null && <FileFailure error={error} retry={readAgain} />}
      <Spoken text="The file has been read. What to check comes next." />
      <Cells preview={shown} onSheet={(sheet) => setChoice({ ...NO_CHOICE, sheet })} />
      <Checks preview={preview} {...offered.data} chosen={checks} onChoose={(next) => setChoice({ ...choice, checks: next })} />
      {checks.length > 0 && !isOfChecks && error === null && <Waiting what="Matching the columns" />}
      {checks.length > 0 && isOfChecks && (
        <>
          <Mapping
            preview={shown}
            onColumn={(field, column) => setChoice({ ...choice, columns: { ...choice.columns, [field]: column } })}
            onDates={(dates) => setChoice({ ...choice, dates })}
          />
          <Problems preview={preview} />
          <Send file={file} preview={shown} isCurrent={isCurrent} choice={choice} onSent={setBatch} />
        </>
      )}
    </>
  );
}

const FileFailure = ({ error, retry }: { error: unknown; retry: () => void }) =>
  error instanceof DOMException && error.name === 'NotReadableError' ? <Changed /> : <Failure error={error} retry={retry} />;

const Changed = () => (
  <Notice tone="bad" title="The file has changed since you chose it.">
    <p>Save and close it in the other program, then choose it again.</p>
  </Notice>
);

/** Shows a choice at once, before the service has read the file again. */
function withChoice(proposal: Preview['mapping'][number], column: string | undefined): Preview['mapping'][number] {
  if (column === undefined || column === proposal.column) return proposal;
  return column === '' ? { ...proposal, column: null, by: null } : { ...proposal, column, by: 'requested', reason: '' };
}

/** Sends the whole mapping as shown, so that exactly this is used and remembered. */
const queryOf = ({ mapping, date_format }: Preview, { checks, sheet }: Choice) => ({
  checks,
  mapping: JSON.stringify(Object.fromEntries(mapping.flatMap(({ field, column }) => (column === null ? [] : [[field, column]])))),
  date_format: date_format?.value,
  sheet,
});

interface Read {
  of: string;
  /** False before checks were chosen: it then has the columns of every check that the file may be for. */
  isOfChecks: boolean;
  preview: Preview | null;
  error: unknown;
}

/** Read again at each change. Until then the previous preview stays, marked as not current. */
function usePreview(
  file: File,
  { checks, columns, sheet, dates }: Choice,
): { preview: Preview | null; error: unknown; isCurrent: boolean; isOfChecks: boolean; readAgain: () => void } {
  const [turn, setTurn] = useState(0);
  const [read, setRead] = useState<Read>({ of: '', isOfChecks: false, preview: null, error: null });
  const chosen = Object.fromEntries(Object.entries(columns).filter(([, column]) => column !== ''));
  const asked = { checks, sheet, date_format: dates, mapping: Object.keys(chosen).length > 0 ? JSON.stringify(chosen) : '' };
  const key = JSON.stringify(asked);
  useEffect(() => {
    const stop = new AbortController();
    client.batches.preview(sampleOf(file), asked, stop.signal).then(
      (preview) => setRead({ of: key, isOfChecks: checks !== null, preview, error: null }),
      (error: unknown) => isAbort(error) || setRead((before) => ({ ...before, error })),
    );
    return () => stop.abort();
  }, [file, key, epoch.value, turn]);
  const { preview, error, isOfChecks } = read;
  return { preview, error, isCurrent: read.of === key, isOfChecks, readAgain: () => setTurn(turn + 1) };
}

interface SendProps {
  file: File;
  preview: Preview;
  /** False while the file is looked at again: its columns may still change. */
  isCurrent: boolean;
  choice: Choice;
  onSent: (batch: BatchDetail) => void;
}

function Send({ file, preview, isCurrent, choice, onSent }: SendProps) {
  const [reference, setReference] = useState(file.name.replace(/\.\w+$/, ''));
  const [consent, setConsent] = useState(NO_CONSENT);
  const [share, setShare] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const sending = useRef<Sending | null>(null);
  const key = useMemo(newKey, []);
  const button = useRef<HTMLButtonElement>(null);
  const isSending = share !== null;
  const wasSending = useRef(false);
  // It was stopped or has failed, and what had the focus is gone.
  useLayoutEffect(() => {
    if (wasSending.current && !isSending) button.current?.focus();
    wasSending.current = isSending;
  }, [isSending]);
  useEffect(
    () => () => {
      unsaved.value = null;
      sending.current?.stop();
    },
    [],
  );
  const missing = preview.mapping.filter(({ column, required }) => column === null && required.length > 0);
  const send = async () => {
    setError(null);
    setShare(0);
    unsaved.value = 'The file is still being sent. If you leave now, none of it is kept. Leave anyway?';
    const stated = consentOf(consent);
    const query = {
      ...queryOf(preview, choice),
      start: 'manual',
      reference: reference.trim(),
      consent: stated && JSON.stringify(stated),
    };
    sending.current = sendBatch(file, query, `${key}-${hashOf(JSON.stringify(query))}`, setShare);
    try {
      const batch = await sending.current.batch;
      unsaved.value = null;
      onSent(batch);
    } catch (failure) {
      unsaved.value = null;
      if (!isAbort(failure) && !(failure instanceof DOMException)) {
        setError(failure);
        if ((failure as Error).name === 'Unreachable') lost();
      }
      setShare(null);
    }
  };
  if (share !== null) return <SendingBar share={share} name={file.name} onStop={() => sending.current?.stop()} />;
  return (
    <section class="card body stack" aria-label="Send">
      {error instanceof FileChanged ? (
        <Changed />
      ) : (error as Error | null)?.name === 'Unreachable' ? (
        <Notice tone="bad" title="The connection was lost while the file was sent.">
          <p>Send it again when the connection is back: if it did arrive, you get the same batch, and never a second one.</p>
        </Notice>
      ) : error !== null ? (
        <Failure error={error} />
      ) : null}
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <ConsentFields legend="Consent of the people in the file" consent={consent} onChange={setConsent} />
        <div class="filters">
          <label class="field wide">
            <span>Name of the batch</span>
            <input value={reference} maxLength={200} onInput={(event) => setReference(event.currentTarget.value)} />
          </label>
          <button ref={button} type="submit" class="main" disabled={missing.length > 0 || !isCurrent}>
            Send the file and see the price
          </button>
          {missing.length > 0 && (
            <p class="problem">First choose a column for {missing.map(({ field }) => fieldName(field.split('.').at(-1)!)).join(', ')}.</p>
          )}
        </div>
      </form>
      <ExpectedPrice preview={preview} />
    </section>
  );
}

const ExpectedPrice = ({ preview }: { preview: Preview }) =>
  preview.is_whole ? null : <p class="soft small">Only the beginning has been read. The price is shown once all rows have arrived.</p>;

/** Each intention to upload has a key of its own. */
function hashOf(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return (hash >>> 0).toString(16);
}

function SendingBar({ share, name, onStop }: { share: number; name: string; onStop: () => void }) {
  const percent = Math.floor(share * 100);
  const section = useRef<HTMLElement>(null);
  // The button that was pressed is gone. Stop does not get the focus: a second press of Enter would stop what the first began.
  useLayoutEffect(() => section.current!.focus(), []);
  return (
    <section class="card body stack" aria-label="Sending" tabIndex={-1} ref={section}>
      <Spoken text={share < 1 ? `Sending, ${Math.floor(percent / 25) * 25} %` : 'The file has arrived. Its rows are being read.'} />
      <p>
        {share < 1 ? (
          <>
            Sending{' '}
            <strong>
              <bdi>{name}</bdi>
            </strong>
            : {percent} %
          </>
        ) : (
          'The file has arrived. Its rows are being read…'
        )}
      </p>
      <progress value={share} max={1} aria-label="Sent" />
      <p class="soft small">If you close this page or stop, none of it is kept.</p>
      <div class="actions">
        <button type="button" onClick={onStop}>
          Stop
        </button>
      </div>
    </section>
  );
}
