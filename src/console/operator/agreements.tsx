/** Prices agreed with an app that differ from the list. */
import { useState } from 'preact/hooks';
import { type Agreement, waitsForApproval } from '../../client/operator.ts';
import { checkName, naira } from '../format.ts';
import { Empty, Time } from '../parts/common.tsx';
import { textIn } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { NairaField } from '../parts/naira-field.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { Table } from '../parts/table.tsx';
import { attempt, say } from '../parts/toasts.tsx';
import { client } from '../state.ts';

const sayOutcome = (answer: unknown, done: string): void => say(waitsForApproval(answer) ? 'It waits for a second administrator.' : done);

/** `isDeleted`: what was agreed is shown and can no longer be changed. */
export function Agreements({ appId, isDeleted }: { appId: string; isDeleted: boolean }) {
  const agreements = useResource(`agreements ${appId}`, (signal) => client.operator.agreements(appId, signal));
  const [isNew, setNew] = useState(false);
  const end = (price: string) =>
    attempt(async () => {
      sayOutcome(await client.operator.endAgreement(appId, price), 'The agreement has ended.');
      agreements.reload();
    }, null);
  return (
    <section class="card" aria-labelledby="prices">
      <header>
        <h2 id="prices">Agreed prices</h2>
        {!isDeleted && (
          <div class="actions">
            <button type="button" onClick={() => setNew(true)}>
              Agree on a price
            </button>
          </div>
        )}
      </header>
      <Loaded of={agreements}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="The price list applies" />
          ) : (
            <AgreementTable agreements={data} onEnd={isDeleted ? null : (id) => void end(id)} />
          )
        }
      </Loaded>
      {isNew && (
        <NewAgreement
          appId={appId}
          onClose={() => setNew(false)}
          onDone={() => {
            setNew(false);
            agreements.reload();
          }}
        />
      )}
    </section>
  );
}

const isOver = ({ valid_until }: Agreement): boolean => valid_until !== null && Date.parse(valid_until) <= Date.now();

const AgreementTable = ({ agreements, onEnd }: { agreements: readonly Agreement[]; onEnd: ((id: string) => void) | null }) => (
  <Table
    caption="Agreed prices, newest first"
    name="Agreed prices"
    rows={agreements}
    keyOf={(agreement) => agreement.id}
    columns={[
      { name: 'Check', isHead: true, cell: (agreement) => checkName(agreement.check) },
      { name: 'Price', style: 'num', cell: (agreement) => naira(agreement.price) },
      { name: 'From the cache', style: 'num', cell: (agreement) => naira(agreement.cached_price) },
      { name: 'From', cell: (agreement) => <Time at={agreement.valid_from} /> },
      { name: 'Until', cell: (agreement) => (agreement.valid_until ? <Time at={agreement.valid_until} /> : 'further notice') },
      {
        name: 'What may be done',
        isNameUnseen: true,
        cell: (agreement) =>
          onEnd &&
          !isOver(agreement) && (
            <button type="button" aria-label={`End the price of ${checkName(agreement.check)}`} onClick={() => onEnd(agreement.id)}>
              End
            </button>
          ),
      },
    ]}
  />
);

function NewAgreement({ appId, onDone, onClose }: { appId: string; onDone: () => void; onClose: () => void }) {
  const send = async (entered: FormData, idempotencyKey: string) => {
    const cached = textIn(entered, 'cached');
    const price = {
      check: textIn(entered, 'check'),
      price: Number(textIn(entered, 'price')),
      ...(cached && { cached_price: Number(cached) }),
    };
    const answer = await client.operator.agree(appId, price, { idempotencyKey });
    sayOutcome(answer, 'The price applies at once.');
    onDone();
  };
  return (
    <FormDialog title="Agree on a price" verb="Agree" onClose={onClose} onSubmit={send}>
      <label class="field">
        <span>Check</span>
        <input name="check" required placeholder="nin_basic" pattern="[a-z_]{2,40}" title="The id of a check, such as nin_basic" />
      </label>
      <NairaField label="Price in naira" name="price" required max="1000000" />
      <NairaField
        label={
          <>
            Price from the cache <span class="soft small">optional; default: the same share as in the price list</span>
          </>
        }
        name="cached"
        max="1000000"
      />
    </FormDialog>
  );
}
