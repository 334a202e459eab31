/** A webhook endpoint's form, for a new one and for changes, and its secret, which is shown once. */
import { useState } from 'preact/hooks';
import { Refused } from '../../client/errors.ts';
import type { Endpoint, EndpointWithSecret } from '../../client/webhooks.ts';
import { Notice } from '../parts/common.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Choices, Copyable, textIn, Wrong } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { client } from '../state.ts';
import { errorWords, eventWords } from './words.ts';

type Events = Parameters<typeof client.webhooks.change>[1]['events'];

/** `endpoint` null: a new one. */
export function EndpointForm({
  endpoint,
  onSaved,
  onClose,
}: {
  endpoint: Endpoint | null;
  onSaved: (saved: Endpoint | EndpointWithSecret) => void;
  onClose: () => void;
}) {
  const [which, setWhich] = useState(endpoint && endpoint.events.length > 0 ? 'some' : 'all');
  const [events, setEvents] = useState<string[]>(endpoint?.events ?? []);
  const save = async (entered: FormData, idempotencyKey: string) => {
    const text = (name: string) => textIn(entered, name);
    const members = {
      url: text('url'),
      description: text('description') || null,
      events: (which === 'all' ? [] : events) as Events,
      rate_per_second: text('rate_per_second') === '' ? null : Number(text('rate_per_second')),
    };
    const sent = endpoint
      ? client.webhooks.change(endpoint.id, members)
      : client.webhooks.create({ ...members, signing: text('signing') === 'v1a' ? 'v1a' : 'v1' }, { idempotencyKey });
    onSaved(await sent.catch(explain));
  };
  return (
    <FormDialog
      title={endpoint ? 'Change the endpoint' : 'New endpoint'}
      verb={endpoint ? 'Save' : 'Create'}
      isReady={which === 'all' || events.length > 0}
      onClose={onClose}
      onSubmit={save}
    >
      <label class="field">
        <span>Address</span>
        <input
          name="url"
          type="url"
          required
          maxLength={2048}
          placeholder="https://example.com/confam"
          defaultValue={endpoint?.url ?? ''}
        />
      </label>
      <label class="field">
        <span>
          Description <span class="soft small">optional</span>
        </span>
        <input name="description" maxLength={200} defaultValue={endpoint?.description ?? ''} />
      </label>
      <Choices
        legend="Events"
        type="radio"
        name="which"
        options={[
          { value: 'all', label: 'All events, except batch.progress and review.opened' },
          { value: 'some', label: 'Only these' },
        ]}
        chosen={[which]}
        onChange={([next]) => setWhich(next!)}
      />
      {which === 'some' && (
        <Choices
          legend="Which events"
          type="checkbox"
          name="events"
          options={eventWords.map(([type, when]) => ({ value: type, label: <code>{type}</code>, note: when }))}
          chosen={events}
          onChange={setEvents}
        />
      )}
      <label class="field">
        <span>
          Messages a second, at most <span class="soft small">optional</span>
        </span>
        <input
          name="rate_per_second"
          inputMode="numeric"
          pattern="[0-9]{1,4}"
          title="A whole number from 1 to 1000"
          defaultValue={endpoint?.rate_per_second ?? ''}
        />
      </label>
      {!endpoint && (
        <label class="field">
          <span>Signature</span>
          <select name="signing">
            <option value="v1">Shared secret (HMAC-SHA256)</option>
            <option value="v1a">Public key (ed25519)</option>
          </select>
        </label>
      )}
    </FormDialog>
  );
}

/** Why an address is not allowed is said as in the list of deliveries. */
function explain(error: unknown): never {
  const rule = error instanceof Refused ? error.details.find(({ path }) => path === 'url')?.rule : undefined;
  throw rule && errorWords(rule) !== rule ? new Wrong(errorWords(rule)) : error;
}

/** After creating it or rotating its secret. */
export const Secret = ({ endpoint, onClose }: { endpoint: EndpointWithSecret; onClose: () => void }) => (
  <Dialog title="The signing secret" onClose={endpoint.secret ? null : onClose}>
    {endpoint.secret ? (
      <>
        <Notice tone="warn" title="It is shown only once.">
          <p>Keep it where your receiver reads its secrets, and verify each message with it before you read the body.</p>
        </Notice>
        <Copyable label="Secret" value={endpoint.secret} />
      </>
    ) : (
      <Copyable label="Public key" value={endpoint.public_key ?? ''} />
    )}
    <div class="actions">
      <button type="button" class="main" onClick={onClose}>
        {endpoint.secret ? 'I have saved it' : 'Close'}
      </button>
    </div>
  </Dialog>
);
