/** People under a legal hold: placing one, and lifting it. */
import { useState } from 'preact/hooks';
import type { SubjectHold } from '../../client/subjects.ts';
import { Empty, State } from '../parts/common.tsx';
import { textIn } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { Submitted } from '../parts/submitter.tsx';
import { Table } from '../parts/table.tsx';
import { say } from '../parts/toasts.tsx';
import { client, mode } from '../state.ts';
import { askAbout, Identifiers, kindName } from './identifiers.tsx';

export function Holds() {
  const holds = useResource('legal holds', (signal) => client.subjects.holds({}, signal));
  const [asks, setAsks] = useState<'hold' | SubjectHold | null>(null);
  const close = () => setAsks(null);
  const done = () => {
    close();
    holds.reload();
  };
  return (
    <section class="card" aria-labelledby="held-people">
      <header>
        <h2 id="held-people">People under a legal hold</h2>
        <div class="actions">
          <button type="button" onClick={() => setAsks('hold')}>
            Hold a person’s data
          </button>
        </div>
      </header>
      <Loaded of={holds}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="Nobody is held">
              <p>A dispute or an investigation can require that a person’s data is kept. A hold keeps it until you lift it.</p>
            </Empty>
          ) : (
            <Table
              caption="Legal holds of people, newest first"
              name="Legal holds of people"
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                { name: 'Reason', isHead: true, style: 'text', cell: ({ reason }) => reason ?? 'Not said' },
                { name: 'Identifiers', style: 'text', cell: ({ identifiers }) => [...new Set(identifiers)].map(kindName).join(', ') },
                {
                  name: 'Held',
                  cell: ({ held_at, created_by }) => <Submitted at={held_at} by={created_by} />,
                },
                {
                  name: 'State',
                  cell: ({ lifted_at }) => (lifted_at ? <State word="Lifted" tone="plain" /> : <State word="Held" tone="warn" />),
                },
                {
                  name: 'Actions',
                  isNameUnseen: true,
                  cell: (one) =>
                    one.lifted_at === null && (
                      <div class="row-actions">
                        <button type="button" class="plain" onClick={() => setAsks(one)}>
                          Lift<span class="unseen"> {one.reason ?? 'the hold'}</span>
                        </button>
                      </div>
                    ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {asks === 'hold' && <AskToHold onClose={close} onDone={done} />}
      {asks !== null && asks !== 'hold' && <AskToLift hold={asks} onClose={close} onDone={done} />}
    </section>
  );
}

interface AskProps {
  onClose: () => void;
  onDone: () => void;
}

function AskToHold({ onClose, onDone }: AskProps) {
  const ask = async (entered: FormData, idempotencyKey: string) => {
    const reason = textIn(entered, 'reason');
    await askAbout(entered, (identifiers) => client.subjects.hold({ identifiers, ...(reason && { reason }) }, 'legal', { idempotencyKey }));
    say('The person’s data is held. None of it is deleted or erased until you lift the hold.');
    onDone();
  };
  return (
    <FormDialog title="Hold a person’s data" verb="Hold it" onClose={onClose} onSubmit={ask}>
      <p>
        Keeps everything about the person in the app’s {mode.value} data, including what is added later: nothing is deleted or erased, and
        retention does not apply.
      </p>
      <Identifiers />
      <label class="field">
        <span>Reason, shown with the hold</span>
        <input name="reason" maxLength={500} placeholder="Suit FHC/L/CS/17/2026" />
      </label>
    </FormDialog>
  );
}

function AskToLift({ hold: { id, reason }, onClose, onDone }: AskProps & { hold: SubjectHold }) {
  const lift = async () => {
    await client.subjects.liftHold(id);
    say('Lifted. Anything past its retention period is deleted within minutes.');
    onDone();
  };
  return (
    <FormDialog title="Lift the legal hold" verb="Lift it" isDanger onClose={onClose} onSubmit={lift}>
      <p>
        {reason ? `It was placed because of “${reason}”. ` : ''}Whatever was only kept because of it is deleted when its time is over. Ask
        again for erasures that it has stopped.
      </p>
    </FormDialog>
  );
}
