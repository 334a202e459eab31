/** One webhook endpoint: its terms, what may be done with it, and its deliveries. */
import { useState } from 'preact/hooks';
import type { Endpoint, EndpointWithSecret } from '../../client/webhooks.ts';
import type { PageProps } from '../page.ts';
import { Notice, State, Time } from '../parts/common.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Copyable } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { attempt } from '../parts/toasts.tsx';
import { navigate, place } from '../router.ts';
import { client } from '../state.ts';
import { useSubject } from '../subject.ts';
import { Deliveries } from '../webhooks/deliveries.tsx';
import { EndpointForm, Secret } from '../webhooks/endpoint-form.tsx';
import { Replay } from '../webhooks/replay.tsx';
import { endpointState, MOST_EVENTS } from '../webhooks/words.ts';

export default function WebhookPage({ params: { id } }: PageProps) {
  const resource = useResource(`endpoint ${id}`, (signal) => client.webhooks.read(id!, signal));
  return <Loaded of={resource}>{(endpoint) => <Webhook endpoint={endpoint} onChanged={(next) => resource.set(() => next)} />}</Loaded>;
}

function Webhook({ endpoint, onChanged }: { endpoint: Endpoint; onChanged: (next: Endpoint) => void }) {
  useSubject(endpoint.description || new URL(endpoint.url).host);
  /** Counts up when there are new deliveries to see. */
  const [sent, setSent] = useState(0);
  return (
    <>
      <div class="head">
        <p class="crumb">
          <a href="webhooks">Webhooks</a>
        </p>
        <h1>{endpoint.url}</h1>
        <State {...endpointState(endpoint)} />
        <Actions endpoint={endpoint} onChanged={onChanged} onSent={() => setSent(sent + 1)} />
      </div>
      <Trouble endpoint={endpoint} />
      <Terms endpoint={endpoint} />
      <Deliveries key={sent} endpoint={endpoint} />
      <p class="soft small mono">{endpoint.id}</p>
    </>
  );
}

const ASKED = ['change', 'rotate', 'replay', 'delete'] as const;

interface ActionsProps {
  endpoint: Endpoint;
  onChanged: (next: Endpoint) => void;
  onSent: () => void;
}

function Actions({ endpoint, onChanged, onSent }: ActionsProps) {
  const [asked, setAsked] = useState<(typeof ASKED)[number] | null>(null);
  const [secret, setSecret] = useState<EndpointWithSecret | null>(null);
  const close = () => setAsked(null);
  const { id, disabled } = endpoint;
  const test = () => attempt(() => client.webhooks.test(id).then(onSent), 'A test message is on its way.');
  const toggle = () =>
    attempt(
      async () => onChanged(await client.webhooks.change(id, { disabled: !disabled })),
      disabled ? 'The endpoint is enabled. What it missed can be sent again.' : 'The endpoint is disabled.',
    );
  const rotated = (next: EndpointWithSecret) => {
    close();
    onChanged(next);
    setSecret(next);
  };
  const remove = async () => {
    close();
    const { path } = place.value;
    const isDone = await attempt(() => client.webhooks.remove(id), 'The endpoint is deleted.');
    if (isDone && place.value.path === path) navigate('webhooks');
  };
  return (
    <div class="actions">
      {!disabled && (
        <button type="button" class="main" onClick={() => void test()}>
          Send a test
        </button>
      )}
      {!disabled && (
        <button type="button" onClick={() => setAsked('replay')}>
          Send again…
        </button>
      )}
      <button type="button" onClick={() => setAsked('change')}>
        Change
      </button>
      <button type="button" onClick={() => setAsked('rotate')}>
        New secret
      </button>
      <button type="button" class={disabled ? 'main' : undefined} onClick={() => void toggle()}>
        {disabled ? 'Enable' : 'Disable'}
      </button>
      <button type="button" class="danger" onClick={() => setAsked('delete')}>
        Delete
      </button>
      {asked === 'change' && (
        <EndpointForm
          endpoint={endpoint}
          onClose={close}
          onSaved={(next) => {
            close();
            onChanged(next);
          }}
        />
      )}
      {asked === 'replay' && (
        <Replay
          id={id}
          onClose={close}
          onDone={() => {
            close();
            onSent();
          }}
        />
      )}
      {asked === 'rotate' && <Rotate id={id} onDone={rotated} onClose={close} />}
      {asked === 'delete' && (
        <Confirm title="Delete this endpoint?" verb="Delete the endpoint" isDanger onYes={() => void remove()} onNo={close}>
          <p>Messages waiting for it are discarded, and no more events are kept for it. This cannot be undone.</p>
        </Confirm>
      )}
      {secret && <Secret endpoint={secret} onClose={() => setSecret(null)} />}
    </div>
  );
}

function Rotate({ id, onDone, onClose }: { id: string; onDone: (next: EndpointWithSecret) => void; onClose: () => void }) {
  const [hasLeaked, setLeaked] = useState(false);
  return (
    <FormDialog
      title="Make a new secret?"
      verb="Make a new secret"
      isDanger={hasLeaked}
      onClose={onClose}
      onSubmit={async (_, idempotencyKey) => onDone(await client.webhooks.rotate(id, hasLeaked, { idempotencyKey }))}
    >
      <p>
        {hasLeaked
          ? 'The old secret stops working at once. Your receiver refuses messages until it has the new one.'
          : 'For 24 hours every message is signed with both, so that you can replace the old secret in your receiver.'}
      </p>
      <label class="tick">
        <input type="checkbox" checked={hasLeaked} onChange={(event) => setLeaked(event.currentTarget.checked)} />
        The old secret has leaked
      </label>
    </FormDialog>
  );
}

function Trouble({ endpoint: { disabled, disabled_reason, failing_since, disabled_at } }: { endpoint: Endpoint }) {
  if (disabled && disabled_reason === 'gone')
    return (
      <Notice tone="bad" title="The receiver answered 410, so the endpoint was disabled.">
        <p>Once the address is correct, enable the endpoint and resend what it missed.</p>
      </Notice>
    );
  if (disabled && disabled_reason === 'failing')
    return (
      <Notice tone="bad" title="Every attempt failed for five days, so the endpoint was disabled.">
        <p>{disabled_at && <Time at={disabled_at} />} Repair the receiver, enable the endpoint, and resend what it missed.</p>
      </Notice>
    );
  if (!disabled && failing_since)
    return (
      <Notice tone="warn" title="Every attempt has failed lately.">
        <p>
          Since <Time at={failing_since} />. The deliveries below say why. After five days the endpoint is disabled.
        </p>
      </Notice>
    );
  return null;
}

const Terms = ({ endpoint }: { endpoint: Endpoint }) => (
  <section class="card" aria-label="Terms">
    <div class="body stack">
      <dl class="facts">
        <div>
          <dt>Events</dt>
          <dd class="plain">{endpoint.events.length === 0 ? MOST_EVENTS : endpoint.events.join(', ')}</dd>
        </div>
        {endpoint.description && (
          <div>
            <dt>Description</dt>
            <dd class="plain">{endpoint.description}</dd>
          </div>
        )}
        <div>
          <dt>Signature</dt>
          <dd class="plain">
            {endpoint.signing === 'v1' ? 'Shared secret' : 'Public key'}
            {endpoint.previous_secret_expires_at && (
              <small>
                the old one signs too until <Time at={endpoint.previous_secret_expires_at} />
              </small>
            )}
          </dd>
        </div>
        <div>
          <dt>Results in messages</dt>
          <dd class="plain">
            {endpoint.results === null && 'None'}
            {endpoint.results === 'sent' && 'Encrypted to your key'}
            {endpoint.results === 'withheld' && (
              <>
                Withheld
                <small>Whoever set the encryption key may not receive results now. Set it again with an API key that may.</small>
              </>
            )}
          </dd>
        </div>
        {endpoint.rate_per_second !== null && (
          <div>
            <dt>Pace</dt>
            <dd class="plain">at most {endpoint.rate_per_second} a second</dd>
          </div>
        )}
        <div>
          <dt>Since</dt>
          <dd class="plain">
            <Time at={endpoint.created_at} />
          </dd>
        </div>
      </dl>
      {endpoint.public_key && <Copyable label="Public key" value={endpoint.public_key} />}
    </div>
  </section>
);
