/** The people of the app: who they are, what they may do, and who is invited. */
import { useState } from 'preact/hooks';
import type { Member, Role } from '../../client/people.ts';
import type { Worded } from '../format.ts';
import { Notice, Scroll, State, Time } from '../parts/common.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Choices, Copyable, Problem, useSubmit } from '../parts/form.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { attempt } from '../parts/toasts.tsx';
import { client, session } from '../state.ts';
import { roles, roleWords } from '../words.ts';

type Asked = { what: 'invite' } | { what: 'role' | 'remove'; member: Member } | { what: 'link'; email: string; link: string };

export default function PeoplePage() {
  const people = useResource('people', (signal) => client.people.list(signal));
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  const invite = async (email: string, role: Role) => {
    const { link } = await client.people.invite({ email, role });
    people.reload();
    setAsked({ what: 'link', email, link });
  };
  return (
    <>
      <div class="head">
        <h1>People</h1>
        <div class="actions">
          <button type="button" class="main" onClick={() => setAsked({ what: 'invite' })}>
            Invite
          </button>
        </div>
      </div>
      <Loaded of={people}>
        {({ data }) => (
          <Scroll name="People" isCard>
            <PeopleTable
              people={data}
              onAsk={(what, member) => setAsked({ what, member })}
              onLink={({ email, role }) => void attempt(() => invite(email, role), null)}
            />
          </Scroll>
        )}
      </Loaded>
      {asked?.what === 'invite' && <InviteDialog onClose={close} onInvite={invite} />}
      {asked?.what === 'role' && (
        <RoleDialog
          member={asked.member}
          onClose={close}
          onDone={() => {
            close();
            people.reload();
          }}
        />
      )}
      {asked?.what === 'remove' && (
        <Confirm
          title={asked.member.status === 'invited' ? 'Withdraw the invitation?' : `Remove ${nameOf(asked.member)}?`}
          verb={asked.member.status === 'invited' ? 'Withdraw' : 'Remove'}
          isDanger
          onNo={close}
          onYes={() => {
            close();
            void attempt(() => client.people.remove(asked.member.id), `${nameOf(asked.member)} no longer belongs to the app.`).then(
              people.reload,
            );
          }}
        >
          <p>
            {asked.member.status === 'invited'
              ? `The link that ${asked.member.email} was given no longer works.`
              : 'It counts from their next click on. Keys that they made go on working: see Keys.'}
          </p>
        </Confirm>
      )}
      {asked?.what === 'link' && (
        <Dialog title="The invitation is ready" onClose={null}>
          <p>Give this link to {asked.email}, by a way that only they read. Confam sends no mail.</p>
          <Copyable label="Link" value={asked.link} />
          <Notice tone="warn" title="It is shown only now, works once, and for a week." />
          <div class="actions">
            <button type="button" class="main" onClick={close}>
              Done
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

const nameOf = ({ name, email }: Member): string => name ?? email;

const STATES: Readonly<Record<Member['status'], Worded>> = {
  active: { word: 'Active', tone: 'good' },
  invited: { word: 'Invited', tone: 'info' },
  disabled: { word: 'Disabled', tone: 'bad' },
};

interface TableProps {
  people: Member[];
  onAsk: (what: 'role' | 'remove', member: Member) => void;
  onLink: (member: Member) => void;
}

function PeopleTable({ people, onAsk, onLink }: TableProps) {
  return (
    <table>
      <caption class="unseen">People of the app, and those who are invited</caption>
      <thead>
        <tr>
          <th scope="col">Person</th>
          <th scope="col">Role</th>
          <th scope="col">State</th>
          <th scope="col">Second factor</th>
          <th scope="col">Since</th>
          <th scope="col">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {people.map((member) => {
          const isOwn = member.id === session.value?.person.id;
          const named = (
            <span class="unseen">
              {' '}
              <bdi>{nameOf(member)}</bdi>
            </span>
          );
          return (
            <tr key={member.id}>
              <th scope="row" class="row-name">
                <bdi>{nameOf(member)}</bdi>
                {isOwn && <span class="soft"> (you)</span>}
                {member.name && <small class="soft below">{member.email}</small>}
              </th>
              <td>{roleWords[member.role].word}</td>
              <td>
                <State {...STATES[member.status]} />
              </td>
              <td>{member.status === 'invited' ? '–' : member.second_factor ? 'Yes' : <span class="soft">None</span>}</td>
              <td>
                <Time at={member.accepted_at ?? member.invited_at} />
              </td>
              <td>
                {!isOwn && (
                  <div class="row-actions">
                    {member.status === 'invited' ? (
                      <button type="button" class="plain" onClick={() => onLink(member)}>
                        New link{named}
                      </button>
                    ) : (
                      <button type="button" class="plain" onClick={() => onAsk('role', member)}>
                        Change role{named}
                      </button>
                    )}
                    <button type="button" class="plain" onClick={() => onAsk('remove', member)}>
                      {member.status === 'invited' ? 'Withdraw' : 'Remove'}
                      {named}
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
}

const RoleChoice = ({ chosen, onChange }: { chosen: Role; onChange: (role: Role) => void }) => (
  <Choices
    legend="Role"
    type="radio"
    name="role"
    options={roles.map((role) => ({ value: role, label: roleWords[role].word, note: roleWords[role].may }))}
    chosen={[chosen]}
    onChange={([role]) => onChange(role as Role)}
  />
);

function InviteDialog({ onClose, onInvite }: { onClose: () => void; onInvite: (email: string, role: Role) => Promise<void> }) {
  const [role, setRole] = useState<Role>('operator');
  const { problem, isBusy, submit } = useSubmit();
  return (
    <Dialog title="Invite somebody" onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          const email = String(new FormData(event.currentTarget).get('email')).trim();
          void submit(() => onInvite(email, role));
        }}
      >
        <label class="field">
          <span>E-mail address</span>
          <input name="email" type="email" required maxLength={254} autocomplete="off" />
        </label>
        <RoleChoice chosen={role} onChange={setRole} />
        <Problem text={problem} />
        <div class="actions">
          <button type="submit" class="main" disabled={isBusy}>
            Make the link
          </button>
          <button type="button" onClick={onClose}>
            Back
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function RoleDialog({ member, onClose, onDone }: { member: Member; onClose: () => void; onDone: () => void }) {
  const [role, setRole] = useState<Role>(member.role);
  const { problem, isBusy, submit } = useSubmit();
  const save = async () => {
    if (await submit(() => client.people.changeRole(member.id, role))) onDone();
  };
  return (
    <Dialog title={`Role of ${nameOf(member)}`} onClose={onClose}>
      <RoleChoice chosen={role} onChange={setRole} />
      <p class="soft">It counts from their next click on.</p>
      <Problem text={problem} />
      <div class="actions">
        <button type="button" class="main" disabled={isBusy || role === member.role} onClick={() => void save()}>
          Save
        </button>
        <button type="button" onClick={onClose}>
          Back
        </button>
      </div>
    </Dialog>
  );
}
