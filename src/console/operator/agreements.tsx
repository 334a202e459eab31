/** Prices agreed with an app that differ from the list. */
import { useState } from 'preact/hooks';
import { type Agreement, waitsForApproval } from '../../client/operator.ts';
import { checkName, naira } from '../format.ts';
import { Empty, Scroll, Time } from '../parts/common.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Problem, useSubmit } from '../parts/form.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { attempt, say } from '../parts/toasts.tsx';
import { client } from '../state.ts';

const told = (answer: unknown, done: string): void => say(waitsForApproval(answer) ? 'It waits for a second administrator.' : done);

export function Agreements({ appId }: { appId: string }) {
  const agreements = useResource(`agreements ${appId}`, (signal) => client.operator.agreements(appId, signal));
  const [isNew, setNew] = useState(false);
  const end = (price: string) =>
    attempt(async () => {
      told(await client.operator.endAgreement(appId, price), 'The agreement has ended.');
      agreements.reload();
    }, null);
  return (
    <section class="card" aria-labelledby="prices">
      <header>
        <h2 id="prices">Agreed prices</h2>
        <div class="actions">
          <button type="button" onClick={() => setNew(true)}>
            Agree on a price
          </button>
        </div>
      </header>
      <Loaded of={agreements}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="The price list applies" />
          ) : (
            <Scroll name="Agreed prices">
              <AgreementTable agreements={data} onEnd={(id) => void end(id)} />
            </Scroll>
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

const AgreementTable = ({ agreements, onEnd }: { agreements: readonly Agreement[]; onEnd: (id: string) => void }) => (
  <table>
    <caption class="unseen">Agreed prices, newest first</caption>
    <thead>
      <tr>
        <th scope="col">Check</th>
        <th scope="col" class="num">
          Price
        </th>
        <th scope="col" class="num">
          From the cache
        </th>
        <th scope="col">From</th>
        <th scope="col">Until</th>
        <th scope="col">
          <span class="unseen">What may be done</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {agreements.map((agreement) => (
        <tr key={agreement.id}>
          <th scope="row" class="row-name">
            {checkName(agreement.check)}
          </th>
          <td class="num">{naira(agreement.price)}</td>
          <td class="num">{naira(agreement.cached_price)}</td>
          <td>
            <Time at={agreement.valid_from} />
          </td>
          <td>{agreement.valid_until ? <Time at={agreement.valid_until} /> : 'further notice'}</td>
          <td>
            {!isOver(agreement) && (
              <button type="button" aria-label={`End the price of ${checkName(agreement.check)}`} onClick={() => onEnd(agreement.id)}>
                End
              </button>
            )}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

function NewAgreement({ appId, onDone, onClose }: { appId: string; onDone: () => void; onClose: () => void }) {
  const { problem, isBusy, submit } = useSubmit();
  const send = (form: HTMLFormElement) =>
    submit(async () => {
      const sent = new FormData(form);
      const text = (name: string) => String(sent.get(name)).trim();
      const answer = await client.operator.agree(appId, {
        check: text('check'),
        price: Number(text('price')),
        ...(text('cached') && { cached_price: Number(text('cached')) }),
      });
      told(answer, 'The price applies at once.');
      onDone();
    });
  return (
    <Dialog title="Agree on a price" onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void send(event.currentTarget);
        }}
      >
        <label class="field">
          <span>Check</span>
          <input name="check" required placeholder="nin_basic" pattern="[a-z_]{2,40}" title="The id of a check, such as nin_basic" />
        </label>
        <label class="field">
          <span>Price in naira</span>
          <input name="price" type="number" required min="0" max="1000000" step="0.01" />
        </label>
        <label class="field">
          <span>
            Price from the cache <span class="soft small">optional: else the same share as on the list</span>
          </span>
          <input name="cached" type="number" min="0" max="1000000" step="0.01" />
        </label>
        <Problem text={problem} />
        <div class="actions">
          <button type="submit" class="main" disabled={isBusy}>
            Agree
          </button>
          <button type="button" onClick={onClose}>
            Back
          </button>
        </div>
      </form>
    </Dialog>
  );
}
