/** Top-ups, prices and deletions of apps that wait for a second administrator, and those decided. */
import { useState } from 'preact/hooks';
import type { AdminApproval } from '../../client/operator.ts';
import { sayOutcome, Terms } from '../approvals/terms.tsx';
import { checkName, naira } from '../format.ts';
import { Empty, State, Time } from '../parts/common.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { textIn } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { Table } from '../parts/table.tsx';
import { attempt } from '../parts/toasts.tsx';
import { client, session } from '../state.ts';
import { approvalStates } from '../words.ts';

export default function OperatorApprovalsPage() {
  const list = useList('admin approvals', (cursor, signal) => client.operator.approvals({ cursor, limit: 50 }, signal));
  const [declined, setDeclined] = useState<AdminApproval | null>(null);
  const [ending, setEnding] = useState<AdminApproval | null>(null);
  const approve = (id: string) =>
    attempt(async () => {
      sayOutcome(await client.operator.approve(id));
      list.reload();
    }, null);
  return (
    <>
      <div class="head">
        <h1>Changes to approve</h1>
      </div>
      <Listed
        of={list}
        empty={
          <Empty title="Nothing is waiting">
            <p class="soft">
              With <code>CONFAM_APPROVALS=top_up,prices,app_deletion</code> such changes wait here for a second administrator.
            </p>
          </Empty>
        }
      >
        {(approvals) => (
          <ApprovalTable
            approvals={approvals}
            onApprove={(approval) => (approval.action === 'delete_app' ? setEnding(approval) : void approve(approval.id))}
            onDecline={setDeclined}
          />
        )}
      </Listed>
      {ending && (
        <Delete
          approval={ending}
          onYes={() => {
            setEnding(null);
            void approve(ending.id);
          }}
          onNo={() => setEnding(null)}
        />
      )}
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
  if (action === 'delete_app') return 'Delete the app';
  if (action === 'top_up') return `Top-up of ${naira(amount ?? 0)} (${terms.mode === 'test' ? 'test' : 'live'})`;
  const check = checkName(String(terms.check));
  return terms.end ? `End the agreed price of ${check}` : `${check} for ${naira(Number(terms.price))}`;
}

interface TableProps {
  approvals: readonly AdminApproval[];
  onApprove: (approval: AdminApproval) => void;
  onDecline: (approval: AdminApproval) => void;
}

const ApprovalTable = ({ approvals, onApprove, onDecline }: TableProps) => (
  <Table
    caption="Approvals, newest first"
    name="Approvals"
    isCard
    rows={approvals}
    keyOf={(approval) => approval.id}
    columns={[
      {
        name: 'What',
        isHead: true,
        style: 'text',
        cell: (approval) => (
          <>
            {whatOf(approval)}
            <Terms of={approval} />
          </>
        ),
      },
      { name: 'App', cell: (approval) => <a href={`operator/apps/${approval.app}`}>…{approval.app.slice(-8)}</a> },
      { name: 'State', cell: (approval) => <State {...approvalStates[approval.status]} /> },
      {
        name: 'Asked by',
        cell: (approval) => {
          const isMine = approval.asked_by.id === session.value!.person.id;
          return isMine ? 'You' : (approval.asked_by.name ?? 'The operator’s key');
        },
      },
      { name: 'Asked', cell: (approval) => <Time at={approval.asked_at} /> },
      {
        name: 'Decide',
        isNameUnseen: true,
        cell: (approval) => {
          const isMine = approval.asked_by.id === session.value!.person.id;
          const isOpen = approval.status === 'pending_approval';
          return (
            isOpen && (
              <div class="actions">
                {!isMine && (
                  <button type="button" class="main" onClick={() => onApprove(approval)}>
                    Approve
                  </button>
                )}
                <button type="button" onClick={() => onDecline(approval)}>
                  {isMine ? 'Withdraw' : 'Decline'}
                </button>
              </div>
            )
          );
        },
      },
    ]}
  />
);

function Delete({ approval, onYes, onNo }: { approval: AdminApproval; onYes: () => void; onNo: () => void }) {
  const app = useResource(`app ${approval.app}`, (signal) => client.operator.app(approval.app, signal));
  return (
    <Confirm title="Delete this app?" verb="Delete for good" isDanger onYes={onYes} onNo={onNo}>
      <Loaded of={app}>
        {({ name }) => (
          <p>
            It is <bdi>{name}</bdi>, the app …{approval.app.slice(-8)}. <Terms of={approval} />
          </p>
        )}
      </Loaded>
      <p>After that, nobody can read its data. This cannot be undone.</p>
    </Confirm>
  );
}

function Decline({ approval, onDone, onClose }: { approval: AdminApproval; onDone: () => void; onClose: () => void }) {
  return (
    <FormDialog
      title={whatOf(approval)}
      verb="Decline"
      isDanger
      onClose={onClose}
      onSubmit={(entered) => client.operator.decline(approval.id, textIn(entered, 'reason')).then(onDone)}
    >
      <label class="field">
        <span>Reason</span>
        <textarea name="reason" rows={3} required maxLength={500} />
      </label>
    </FormDialog>
  );
}
