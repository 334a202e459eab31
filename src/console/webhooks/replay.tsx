/** Sends the events since a time to an endpoint again. */
import { useState } from 'preact/hooks';
import { counted, DAY_MS } from '../format.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { say } from '../parts/toasts.tsx';
import { client } from '../state.ts';

/** Lagos is an hour ahead of UTC all year. */
const LAGOS = '+01:00';
const LAGOS_MS = 3_600_000;

/** As `<input type="datetime-local">` takes it. */
const inLagos = (at: number): string => new Date(at + LAGOS_MS).toISOString().slice(0, 16);

export function Replay({ id, onDone, onClose }: { id: string; onDone: () => void; onClose: () => void }) {
  const [since, setSince] = useState(() => inLagos(Date.now() - DAY_MS));
  const [isMissingOnly, setMissingOnly] = useState(true);
  const send = async (_: FormData, idempotencyKey: string) => {
    let from: string | null = `${since}:00${LAGOS}`;
    let [deliveries, hastened] = [0, 0];
    while (from !== null) {
      const made: Awaited<ReturnType<typeof client.webhooks.replay>> = await client.webhooks.replay(
        id,
        { since: from, missing_only: isMissingOnly },
        { idempotencyKey: `${idempotencyKey} ${from}` },
      );
      deliveries += made.deliveries;
      hastened += made.hastened;
      from = made.next_since;
    }
    const more =
      hastened > 0 ? ` ${counted(hastened, 'message')} that waited for another attempt ${hastened === 1 ? 'goes' : 'go'} out now.` : '';
    say(deliveries === 0 && hastened === 0 ? 'There was nothing to send.' : `${counted(deliveries, 'event')} sent again.${more}`);
    onDone();
  };
  return (
    <FormDialog title="Resend since a given time" verb="Send again" onClose={onClose} onSubmit={send}>
      <label class="field">
        <span>Since (Lagos time)</span>
        <input type="datetime-local" required value={since} onInput={(event) => setSince(event.currentTarget.value)} />
      </label>
      <label class="tick">
        <input type="checkbox" checked={isMissingOnly} onChange={(event) => setMissingOnly(event.currentTarget.checked)} />
        Only what never arrived
      </label>
      <p class="soft small">A message that comes again has the same webhook-id, so a receiver that remembers ids can ignore it.</p>
    </FormDialog>
  );
}
