/** Removes somebody from the app. The keys that they made go on working unless they are revoked here. */
import type { Key } from '../../client/keys.ts';
import type { Member } from '../../client/people.ts';
import { counted, keyName } from '../format.ts';
import { Failure, Waiting } from '../parts/common.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { useResource } from '../parts/resource.tsx';
import { failureText, say } from '../parts/toasts.tsx';
import { client, clientIn } from '../state.ts';

const MODES = ['live', 'test'] as const;

/** Those of both modes that work. */
async function keysMadeBy(id: string, signal: AbortSignal): Promise<Key[]> {
  const made: Key[] = [];
  for (const mode of MODES)
    for await (const key of clientIn(mode).keys.all({ active: true }, signal)) if (key.made_by === id) made.push(key);
  return made;
}

const namesOf = (keys: readonly Key[]): string => keys.map((key) => `${keyName(key)} (${key.mode})`).join(', ');

/** One that fails does not keep the others; the message then names those that are left. */
async function revoke(keys: readonly Key[]): Promise<void> {
  const revoked: Key[] = [];
  let failure: unknown = null;
  for (const key of keys) {
    try {
      await clientIn(key.mode).keys.revoke(key.id);
      revoked.push(key);
    } catch (error) {
      failure = error;
    }
  }
  if (failure === null) return say(`${counted(revoked.length, 'key')} revoked.`);
  const left = keys.filter((key) => !revoked.includes(key));
  const done = revoked.length > 0 ? ` Revoked: ${namesOf(revoked)}.` : '';
  say(`Not revoked: ${namesOf(left)}. ${failureText(failure)}${done} Revoke the rest on the page Keys.`, { isBad: true });
}

interface RemoveProps {
  member: Member;
  name: string;
  onClose: () => void;
  onDone: () => void;
}

export function RemoveDialog({ member: { id }, name, onClose, onDone }: RemoveProps) {
  const made = useResource(`keys made by ${id}`, (signal) => keysMadeBy(id, signal));
  const remove = async (entered: FormData) => {
    const revoked = (made.data ?? []).filter((key) => entered.getAll('key').includes(key.id));
    await client.people.remove(id);
    say(`${name} no longer belongs to the app.`);
    onDone();
    if (revoked.length > 0) await revoke(revoked);
  };
  return (
    <FormDialog
      title={`Remove ${name}?`}
      verb="Remove"
      isDanger
      isReady={made.data !== null || made.error !== null}
      onClose={onClose}
      onSubmit={remove}
    >
      <p>It applies from their next click.</p>
      {made.error !== null ? (
        <Failure error={made.error} retry={made.reload} />
      ) : made.data === null ? (
        <Waiting what="Looking for keys that they made" />
      ) : made.data.length === 0 ? (
        <p>They have made no keys that still work.</p>
      ) : (
        <fieldset class="choices">
          <legend>Keys that they made keep working. Which do you want to revoke?</legend>
          {made.data.map((key) => (
            <label key={key.id}>
              <input type="checkbox" name="key" value={key.id} />
              <span>
                <bdi>{keyName(key)}</bdi>{' '}
                <span class="soft small">
                  {key.mode}, <span class="mono">{key.hint}…</span>
                </span>
              </span>
            </label>
          ))}
          <small class="soft">Whatever uses a revoked key is refused within a second. This cannot be undone.</small>
        </fieldset>
      )}
    </FormDialog>
  );
}
