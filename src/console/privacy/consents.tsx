/** Consents that were withdrawn, and withdrawing one. */
import { useState } from 'preact/hooks';
import { counted } from '../format.ts';
import { Empty, Notice, Time } from '../parts/common.tsx';
import { textIn } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { ShortId } from '../parts/short-id.tsx';
import { Submitter } from '../parts/submitter.tsx';
import { Table } from '../parts/table.tsx';
import { say } from '../parts/toasts.tsx';
import { client, may, mode } from '../state.ts';

export function Consents() {
  const withdrawals = useResource('withdrawn consents', (signal) => client.consents.withdrawals({}, signal));
  const [isAsking, setAsking] = useState(false);
  const [unknown, setUnknown] = useState<string | null>(null);
  const withdraw = async (entered: FormData) => {
    const { monitors_ended, naming } = await client.consents.withdraw(textIn(entered, 'reference'));
    setUnknown(naming?.count === 0 && monitors_ended === 0 ? (naming.complete ? 'Nothing that is kept' : 'None of the newest work') : null);
    say(`Withdrawn. Look-ups under it are refused from now on. ${counted(monitors_ended, 'monitor')} ended.`);
    setAsking(false);
    withdrawals.reload();
  };
  return (
    <section class="card" aria-labelledby="consents">
      <header>
        <h2 id="consents">Withdrawn consents</h2>
        <div class="actions">
          <button type="button" onClick={() => setAsking(true)}>
            Withdraw a consent
          </button>
        </div>
      </header>
      {unknown !== null && (
        <Notice tone="warn" title={`${unknown} names this reference.`}>
          <p>Check its spelling: capital letters count.</p>
        </Notice>
      )}
      <Loaded of={withdrawals}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No consent was withdrawn">
              <p>
                When a customer takes back a consent, enter its reference: monitors under it end, and nothing is looked up under it any
                more.
              </p>
            </Empty>
          ) : (
            <Table
              caption="Withdrawn consents, newest first. Their references are kept as keyed hashes."
              name="Withdrawn consents"
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: 'When',
                  isHead: true,
                  cell: ({ withdrawn_at, withdrawn_by }) => (
                    <>
                      <Time at={withdrawn_at} isExact />
                      <small class="block soft">
                        <Submitter by={withdrawn_by} />
                      </small>
                    </>
                  ),
                },
                { name: 'Withdrawal', cell: ({ id }) => <ShortId id={id} /> },
                ...(may('audit:read')
                  ? [{ name: 'Audit', cell: ({ id }: { id: string }) => <a href={`audit?object=${id}`}>See the audit</a> }]
                  : []),
              ]}
            />
          )
        }
      </Loaded>
      {isAsking && (
        <FormDialog title="Withdraw a consent" verb="Withdraw for good" isDanger onClose={() => setAsking(false)} onSubmit={withdraw}>
          <p>
            Ends the monitors under it and refuses every look-up that names it, in {mode.value} mode. This cannot be undone: a new consent
            has a new reference.
          </p>
          <label class="field">
            <span>Reference of the consent</span>
            <input name="reference" maxLength={200} autocomplete="off" required />
          </label>
        </FormDialog>
      )}
    </section>
  );
}
