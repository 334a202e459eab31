/** Top-ups and prices that wait for a second administrator, and those decided. */
import { useState } from 'preact/hooks';
import type { AdminApproval } from '../../client/operator.ts';
import { checkName, naira } from '../format.ts';
import { Empty, Scroll, State, Time } from '../parts/common.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Problem, useSubmit } from '../parts/form.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { attempt } from '../parts/toasts.tsx';
import { client, session } from '../state.ts';
import { approvalStates } from '../words.ts';

export default function OperatorApprovalsPage() {
  const list = useList('admin approvals', (cursor, signal) => client.operator.approvals({ cursor, limit: 50 }, signal));
  const [declined, setDeclined] = useState<AdminApproval | null>(null);
  const approve = (id: string) =>
    attempt(async () => {
      await client.operator.approve(id);
      list.reload();
    }, 'It is approved and done.');
  return (
    <>
      <div class="head">
        <h1>Top-ups and prices</h1>
      </div>
      <Listed
        of={list}
        empty={
          <Empty title="Nothing waits">
            <p class="soft">
              With <code>CONFAM_APPROVALS=top_up,prices</code> such changes wait here for a second administrator.
            </p>
          </Empty>
        }
      >
        {(approvals) => (
          <Scroll name="Approvals" isCard>
            <ApprovalTable approvals={approvals} onApprove={(id) => void approve(id)} onDecline={setDeclined} />
          </Scroll>
        )}
      </Listed>
      {declined && (
        <Decline
          approval={declined}
          onClose={() => setDeclined(null)}
          onDone={() => {
            setDeclined(null);
            list.reload();
          }}
        />
      )}
    </>
  );
}

function whatOf({ action, amount, terms }: AdminApproval): string {
  if (action === 'top_up') return `Top-up of ${naira(amount ?? 0)} (${terms.mode === 'test' ? 'test' : 'live'})`;
  const check = checkName(String(terms.check));
  return terms.end ? `End the agreed price of ${check}` : `${check} for ${naira(Number(terms.price))}`;
}

interface TableProps {
  approvals: readonly AdminApproval[];
  onApprove: (id: string) => void;
  onDecline: (approval: AdminApproval) => void;
}

const ApprovalTable = ({ approvals, onApprove, onDecline }: TableProps) => (
  <table>
    <caption class="unseen">Approvals, newest first</caption>
    <thead>
      <tr>
        <th scope="col">What</th>
        <th scope="col">App</th>
        <th scope="col">State</th>
        <th scope="col">Asked by</th>
        <th scope="col">Asked</th>
        <th scope="col">
          <span class="unseen">Decide</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {approvals.map((approval) => {
        const isMine = approval.asked_by.id === session.value!.person.id;
        const isOpen = approval.status === 'pending_approval';
        return (
          <tr key={approval.id}>
            <th scope="row" class="row-name text">
              {whatOf(approval)}
            </th>
            <td>
              <a href={`operator/apps/${approval.app}`}>…{approval.app.slice(-8)}</a>
            </td>
            <td>
              <State {...approvalStates[approval.status]} />
            </td>
            <td>{isMine ? 'You' : (approval.asked_by.name ?? 'The operator’s key')}</td>
            <td>
              <Time at={approval.asked_at} />
            </td>
            <td>
              {isOpen && (
                <div class="actions">
                  {!isMine && (
                    <button type="button" class="main" onClick={() => onApprove(approval.id)}>
                      Approve
                    </button>
                  )}
                  <button type="button" onClick={() => onDecline(approval)}>
                    {isMine ? 'Withdraw' : 'Decline'}
                  </button>
                </div>
              )}
            </td>
          </tr>
        );
      })}
    </tbody>
  </table>
);

function Decline({ approval, onDone, onClose }: { approval: AdminApproval; onDone: () => void; onClose: () => void }) {
  const { problem, isBusy, submit } = useSubmit();
  return (
    <Dialog title={whatOf(approval)} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          const reason = String(new FormData(event.currentTarget).get('reason')).trim();
          void submit(async () => {
            await client.operator.decline(approval.id, reason);
            onDone();
          });
        }}
      >
        <label class="field">
          <span>Why not</span>
          <textarea name="reason" rows={3} required maxLength={500} />
        </label>
        <Problem text={problem} />
        <div class="actions">
          <button type="submit" class="danger" disabled={isBusy}>
            Decline
          </button>
          <button type="button" onClick={onClose}>
            Back
          </button>
        </div>
      </form>
    </Dialog>
  );
}
