/** The authenticator app and the recovery codes that stand in for it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { count, counted } from '../format.ts';
import { CodeField, digitsOf } from '../parts/code-field.tsx';
import { State } from '../parts/common.tsx';
import { copy } from '../parts/copy.ts';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Copyable, textIn } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { useOnce } from '../parts/once.ts';
import { save } from '../parts/save.ts';
import { attempt } from '../parts/toasts.tsx';
import { client, readSession, session } from '../state.ts';
import type { Fresh } from './again.tsx';

/** The secret for an authenticator app; `uri` is shown as a QR code. */
export interface Secret {
  secret: string;
  uri: string;
}

type Asked = ({ what: 'scan' } & Secret) | { what: 'codes'; codes: string[] } | { what: 'remove' };

export function Authenticator({ fresh }: { fresh: Fresh }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const { totp, passkeys, recovery_codes: left } = session.value!.factors;
  // A second click would replace the secret or the codes already shown. The button is not `disabled`, because it would then lose the focus for good.
  const once = useOnce();
  const close = () => setAsked(null);
  const begin = () => attempt(() => fresh(async () => setAsked({ what: 'scan', ...(await client.account.beginTotp()) })), null);
  const renew = () =>
    attempt(
      () =>
        fresh(async () => {
          setAsked({ what: 'codes', codes: (await client.account.newRecoveryCodes()).recovery_codes });
          await readSession();
        }),
      null,
    );
  return (
    <section class="card" aria-labelledby="authenticator">
      <header>
        <h2 id="authenticator">Authenticator app</h2>
        <State {...(totp ? { word: 'In use', tone: 'good' } : { word: 'Not in use', tone: 'warn' })} />
      </header>
      <div class="body stack">
        <p>
          {totp
            ? `When you sign in with your password, you also enter its six digits. ${counted(left, 'recovery code')} left, for when you do not have your phone.`
            : 'Six digits from an app on your phone, besides the password. Then nobody can sign in with a stolen password alone.'}
        </p>
        <div class="actions">
          <button type="button" class={totp ? undefined : 'main'} aria-disabled={once.isBusy} onClick={() => void once.run(begin)}>
            {totp ? 'Move to another phone' : 'Set up'}
          </button>
          {(totp || passkeys > 0) && (
            <button type="button" aria-disabled={once.isBusy} onClick={() => void once.run(renew)}>
              New recovery codes
            </button>
          )}
          {totp && (
            <button type="button" class="danger" onClick={() => setAsked({ what: 'remove' })}>
              Remove
            </button>
          )}
        </div>
      </div>
      {asked?.what === 'scan' && (
        <Scan
          secret={asked.secret}
          uri={asked.uri}
          fresh={fresh}
          onClose={close}
          onDone={(codes) => {
            setAsked({ what: 'codes', codes });
            void readSession();
          }}
        />
      )}
      {asked?.what === 'codes' && <Codes codes={asked.codes} onClose={close} />}
      {asked?.what === 'remove' && (
        <Confirm
          title="Remove the authenticator app?"
          verb="Remove"
          isDanger
          onNo={close}
          onYes={() => {
            close();
            void attempt(() => fresh(() => client.account.removeTotp()), 'The authenticator app is removed.').then(readSession);
          }}
        >
          <p>You then sign in with your password alone. Your other sessions end.</p>
        </Confirm>
      )}
    </section>
  );
}

interface ScanProps extends Secret {
  fresh: Fresh;
  onClose: () => void;
  onDone: (codes: string[]) => void;
}

export function Scan({ secret, uri, fresh, onClose, onDone }: ScanProps) {
  const confirm = (entered: FormData) =>
    fresh(async () => onDone((await client.account.confirmTotp(digitsOf(textIn(entered, 'code')))).recovery_codes));
  return (
    <FormDialog title="Set up the authenticator app" verb="Use it" onClose={onClose} onSubmit={confirm}>
      <p>Scan the code with the app, or type the secret into it.</p>
      <QrCode text={uri} />
      <Copyable label="Secret" value={secret.replace(/(.{4})(?=.)/g, '$1 ')} />
      <CodeField label="The six digits that it shows" name="code" />
    </FormDialog>
  );
}

const QUIET = 4;

/** Black on white in dark mode too: cameras expect it. */
function QrCode({ text }: { text: string }) {
  const [cells, setCells] = useState<boolean[][]>([]);
  useEffect(() => {
    void import('qr').then(({ encodeQR }) => setCells(encodeQR(text, 'raw', { border: QUIET })));
  }, [text]);
  return (
    <svg class="qr" viewBox={`0 0 ${cells.length || 1} ${cells.length || 1}`} role="img" aria-label="QR code of the secret">
      <path d={cells.map((line, y) => line.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')).join('')).join('')} />
    </svg>
  );
}

export function Codes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const text = `${codes.join('\n')}\n`;
  const keep = () =>
    save(
      new Blob([`Confam: recovery codes of ${session.value!.person.email}\n\n${text}`], { type: 'text/plain' }),
      'confam-recovery-codes.txt',
    );
  const list = useRef<HTMLUListElement>(null);
  return (
    <Dialog title={`Your ${count(codes.length)} recovery codes`} onClose={null}>
      <p>Each signs you in once without your phone. They are shown only once, and your earlier codes no longer work.</p>
      <ul class="codes mono" ref={list}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div class="actions">
        <button type="button" onClick={keep}>
          Save as a file
        </button>
        <button type="button" onClick={() => void copy(text, list.current!)}>
          Copy
        </button>
        <button type="button" class="main" onClick={onClose}>
          I have saved them
        </button>
      </div>
    </Dialog>
  );
}
