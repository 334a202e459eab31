/** The person's own account: name, password, second factors, sessions. It needs no app. */
import { useRef } from 'preact/hooks';
import { type Fresh, useFresh } from '../account/again.tsx';
import { Authenticator } from '../account/authenticator.tsx';
import { Passkeys } from '../account/passkeys.tsx';
import { Sessions } from '../account/sessions.tsx';
import { Problem, useSubmit } from '../parts/form.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { say } from '../parts/toasts.tsx';
import { client, readSession, session } from '../state.ts';

export default function AccountPage() {
  const { fresh, dialog } = useFresh();
  return (
    <>
      <div class="head">
        <h1>My account</h1>
        <span class="soft">{session.value!.person.email}</span>
      </div>
      <div class="pair halves">
        <Name />
        <Password fresh={fresh} />
        <Authenticator fresh={fresh} />
        <Passkeys fresh={fresh} />
      </div>
      <Sessions />
      {dialog}
    </>
  );
}

function Name() {
  const { problem, isBusy, submit } = useSubmit();
  return (
    <section class="card" aria-labelledby="name">
      <header>
        <h2 id="name">Name</h2>
      </header>
      <form
        class="body form"
        onSubmit={(event) => {
          event.preventDefault();
          const name = String(new FormData(event.currentTarget).get('name')).trim();
          void submit(async () => {
            await client.account.rename(name);
            await readSession();
            say('Name changed.');
          });
        }}
      >
        <label class="field">
          <span>As others see it</span>
          <input name="name" required maxLength={100} autocomplete="name" defaultValue={session.value!.person.name ?? ''} />
        </label>
        <Problem text={problem} />
        <div class="actions">
          <button type="submit" aria-disabled={isBusy}>
            Save
          </button>
        </div>
      </form>
    </section>
  );
}

function Password({ fresh }: { fresh: Fresh }) {
  const { problem, isBusy, submit } = useSubmit();
  const form = useRef<HTMLFormElement>(null);
  const { factors, current_password_required: needsCurrent } = session.value!;
  const has = factors.password;
  return (
    <section class="card" aria-labelledby="password">
      <header>
        <h2 id="password">Password</h2>
      </header>
      <form
        ref={form}
        class="body form"
        onSubmit={(event) => {
          event.preventDefault();
          const entered = new FormData(event.currentTarget);
          const current = needsCurrent ? String(entered.get('current_password')) : undefined;
          void submit(async () => {
            await fresh(() => client.account.setPassword(String(entered.get('password')), current));
            form.current?.reset();
            await readSession();
            say('Password changed. Your other sessions have ended.');
          }, event.currentTarget);
        }}
      >
        <input type="text" name="username" autocomplete="username" value={session.value!.person.email} readOnly hidden />
        {needsCurrent && <PasswordField label="Current password" name="current_password" autocomplete="current-password" />}
        <PasswordField
          label={has ? 'New password' : 'Password'}
          name="password"
          minLength={12}
          autocomplete="new-password"
          note="At least 12 characters, without your address in it."
        />
        <Problem text={problem} />
        <div class="actions">
          <button type="submit" aria-disabled={isBusy}>
            {has ? 'Change the password' : 'Set a password'}
          </button>
        </div>
      </form>
    </section>
  );
}
