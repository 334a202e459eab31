/** What the app lets go outside: addresses that are disclosed to others, and answers that apps of the deployment share. Owners change it. */
import type { Settings } from '../../client/people.ts';
import { changesOf, Problem, useSubmit } from '../parts/form.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { say } from '../parts/toasts.tsx';
import { client, may } from '../state.ts';

export function Outside() {
  const settings = useResource('settings', (signal) => client.settings.read(signal));
  return (
    <section class="card" aria-labelledby="outside">
      <header>
        <h2 id="outside">What may go outside</h2>
      </header>
      <div class="body">
        <Loaded of={settings}>
          {(read) => <Form key={JSON.stringify(read.outside)} settings={read} onDone={(next) => settings.set(() => next)} />}
        </Loaded>
      </div>
    </section>
  );
}

function Form({ settings: { outside }, onDone }: { settings: Settings; onDone: (settings: Settings) => void }) {
  const { problem, isBusy, submit } = useSubmit();
  const isLocked = !may('people');
  const save = (entered: FormData) =>
    submit(async () => {
      const next = {
        email_breaches: entered.has('email_breaches'),
        email_mailboxes: entered.has('email_mailboxes'),
        shared_cache: entered.has('shared_cache'),
      };
      const changes = changesOf(outside, next);
      if (Object.keys(changes).length === 0) return;
      const answer = await client.settings.change({ outside: changes });
      if (answer.object === 'settings') {
        onDone(answer);
        say('Saved. It applies from now on.');
      } else say('Somebody else must approve this: more would go outside than now.');
    });
  const choice = (name: keyof Settings['outside'], label: string) => (
    <label class="check">
      <input type="checkbox" name={name} defaultChecked={outside[name]} disabled={isLocked} />
      {label}
    </label>
  );
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void save(new FormData(event.currentTarget));
      }}
    >
      <p class="soft">For live checks of e-mail addresses. Anything that is not asked is reported as unknown, never as a good sign.</p>
      {choice('email_breaches', 'The address is sent to Have I Been Pwned to find breaches')}
      {choice('email_mailboxes', 'The mail host of the address is asked whether it knows the mailbox')}
      {choice('shared_cache', 'Answers are shared with other apps of this deployment')}
      <Problem text={problem} />
      {!isLocked && (
        <div class="actions">
          <button type="submit" aria-disabled={isBusy}>
            Save
          </button>
        </div>
      )}
    </form>
  );
}
