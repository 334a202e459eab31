/** What waits for a second person, what was decided, and which actions need one. */
import { useState } from 'preact/hooks';
import type { Approval } from '../../client/people.ts';
import { ApprovalSettings } from '../approvals/settings.tsx';
import { sayOutcome, Terms, termsOf } from '../approvals/terms.tsx';
import { naira, shortId } from '../format.ts';
import { BatchName } from '../parts/batch-name.tsx';
import { Empty, State, Time } from '../parts/common.tsx';
import { Filter, filterOf } from '../parts/filter.tsx';
import { textIn } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { Table } from '../parts/table.tsx';
import { say } from '../parts/toasts.tsx';
import { client, may, session } from '../state.ts';
import { approvalStates, approvalWords } from '../words.ts';

type Status = Approval['status'];
const WAITING: Status = 'pending_approval';

const FILTERS = [
  ['', 'Waiting'],
  ['all', 'All'],
  ['approved', 'Approved'],
  ['declined', 'Declined'],
  ['expired', 'Expired'],
  ['void', 'No longer valid'],
] as const;

interface Asked {
  verb: 'approve' | 'decline';
  approval: Approval;
}

export default function ApprovalsPage() {
  const chosen = filterOf('status');
  const status = chosen === '' ? WAITING : chosen === 'all' ? undefined : (chosen as Status);
  const approvals = useList<Approval>(`approvals ${chosen}`, (cursor, signal) =>
    client.approvals.page({ status, limit: 50, ...(cursor && { cursor }) }, signal),
  );
  const [asked, setAsked] = useState<Asked | null>(null);
  // Whoever gives up may have been told that somebody else has decided.
  const close = () => {
    setAsked(null);
    approvals.reload();
  };
  return (
    <>
      <div class="head">
        <h1>Approvals</h1>
      </div>
      <div class="filters">
        <Filter name="status" label="Show" options={FILTERS} />
      </div>
      <Listed
        of={approvals}
        empty={
          <Empty title={chosen === '' ? 'Nothing is waiting' : 'No request matches'}>
            <p>What needs a second person appears here when somebody asks for it.</p>
          </Empty>
        }
      >
        {(items) => <ApprovalTable approvals={items} onAsk={(verb, approval) => setAsked({ verb, approval })} />}
      </Listed>
      <ApprovalSettings onAsked={approvals.reload} />
      {asked && <Decide {...asked} onClose={close} />}
    </>
  );
}

const isOwn = ({ asked_by: { kind, id } }: Approval): boolean => kind === 'person' && id === session.value?.person.id;

const askerOf = (approval: Approval): string => {
  const { kind, id, name } = approval.asked_by;
  if (isOwn(approval)) return 'You';
  if (kind === 'person') return name ?? 'Somebody who has left';
  return kind === 'key' ? `Key ${name ?? shortId(id)}` : (name ?? shortId(id));
};

function Target({ of: { target } }: { of: Approval }) {
  if (target.startsWith('bat_')) return <BatchName id={target} />;
  if (target.startsWith('job_')) return <a href={`jobs/${target}`}>{shortId(target)}</a>;
  return null;
}

function ApprovalTable({ approvals, onAsk }: { approvals: Approval[]; onAsk: (verb: Asked['verb'], approval: Approval) => void }) {
  return (
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
          cell: (approval) => (
            <>
              {approvalWords[approval.action]} <Target of={approval} />
              <Terms of={approval} />
              {approval.reason && (
                <small class="soft below">
                  “<bdi>{approval.reason}</bdi>”
                </small>
              )}
            </>
          ),
        },
        { name: 'Amount', style: 'num', cell: (approval) => (approval.amount === null ? '' : naira(approval.amount)) },
        {
          name: 'Asked by',
          style: 'text',
          cell: (approval) => (
            <>
              <bdi>{askerOf(approval)}</bdi>
              <small class="soft below">
                <Time at={approval.asked_at} />
              </small>
            </>
          ),
        },
        {
          name: 'State',
          style: 'text',
          cell: (approval) => (
            <>
              <State {...approvalStates[approval.status]} />
              {approval.decline_reason && (
                <small class="soft below">
                  “<bdi>{approval.decline_reason}</bdi>”
                </small>
              )}
            </>
          ),
        },
        { name: 'Decided or due', cell: (approval) => <Until of={approval} /> },
        { name: 'Decision', isNameUnseen: true, cell: (approval) => <Decisions of={approval} onAsk={onAsk} /> },
      ]}
    />
  );
}

function Until({ of: { status, expires_at, decided_at, decided_by, usable_until } }: { of: Approval }) {
  if (status === WAITING) return <Time at={expires_at} />;
  if (!decided_at) return <span class="soft">–</span>;
  return (
    <>
      <Time at={decided_at} />
      <small class="soft below">
        {decided_by && (
          <>
            by <bdi>{decided_by.id === session.value?.person.id ? 'you' : (decided_by.name ?? 'somebody who has left')}</bdi>
          </>
        )}
        {usable_until && (
          <>
            {' '}
            · open until <Time at={usable_until} />
          </>
        )}
      </small>
    </>
  );
}

function Decisions({ of: approval, onAsk }: { of: Approval; onAsk: (verb: Asked['verb'], approval: Approval) => void }) {
  if (approval.status !== WAITING) return null;
  const about = <span class="unseen"> {approvalWords[approval.action]}</span>;
  if (isOwn(approval))
    return (
      <div class="row-actions">
        <span class="soft">{may('approve') ? 'Somebody else approves' : 'An approver decides'}</span>
        <button type="button" class="plain" onClick={() => onAsk('decline', approval)}>
          Withdraw{about}
        </button>
      </div>
    );
  if (!may('approve')) return <span class="soft">An approver decides</span>;
  return (
    <div class="row-actions">
      <button type="button" class="main" onClick={() => onAsk('approve', approval)}>
        Approve{about}
      </button>
      <button type="button" onClick={() => onAsk('decline', approval)}>
        Decline{about}
      </button>
    </div>
  );
}

const CONSEQUENCES: Readonly<Record<Approval['action'], string>> = {
  start_batch: 'The batch starts at once and its price is held.',
  reveal: 'Whoever asked may see this job in clear for an hour.',
  export: 'Whoever asked may do this for an hour.',
  change_settings: 'The settings change at once.',
  top_up: 'The money is added at once.',
  change_prices: 'The prices change at once.',
  delete_app: 'The app is deleted at once.',
};

const VERBS = { approve: 'Approve', decline: 'Decline' } as const;

function Decide({ verb, approval, onClose }: Asked & { onClose: () => void }) {
  const what = approvalWords[approval.action].toLowerCase();
  const isWithdrawal = isOwn(approval);
  const decide = async (entered: FormData) => {
    if (verb === 'approve') sayOutcome(await client.approvals.approve(approval.id));
    else {
      await client.approvals.decline(approval.id, textIn(entered, 'reason'));
      say(isWithdrawal ? 'Withdrawn.' : 'Declined.');
    }
    onClose();
  };
  return (
    <FormDialog
      title={`${isWithdrawal && verb === 'decline' ? 'Withdraw' : VERBS[verb]}: ${what}?`}
      verb={isWithdrawal && verb === 'decline' ? 'Withdraw' : VERBS[verb]}
      isDanger={verb === 'decline'}
      onClose={onClose}
      onSubmit={decide}
    >
      <p>
        {askerOf(approval)} asked for it <Time at={approval.asked_at} />
        {approval.amount === null ? '.' : `, for ${naira(approval.amount)}.`} {verb === 'approve' && CONSEQUENCES[approval.action]}
      </p>
      {/^(bat|job)_/.test(approval.target) && (
        <p>
          It is about <Target of={approval} />.
        </p>
      )}
      {termsOf(approval).map((line) => (
        <p key={line}>
          <bdi>{line}</bdi>.
        </p>
      ))}
      {verb === 'decline' && (
        <label class="field">
          <span>Reason</span>
          <textarea name="reason" rows={3} required maxLength={500} />
          <small class="soft">{isWithdrawal ? 'Your colleagues' : 'The person who asked'} will read it. Do not name customers.</small>
        </label>
      )}
    </FormDialog>
  );
}
