/** The people of the app: who they are, what they may do, and who is invited. */
import { useState } from 'preact/hooks';
import type { Member, Role } from '../../client/people.ts';
import type { OwnKey } from '../../client/transport.ts';
import type { Worded } from '../format.ts';
import { Empty, State, Time } from '../parts/common.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Filter, FilterForm, filterOf, Search } from '../parts/filter.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { useOnce } from '../parts/once.ts';
import { Loaded, useResource } from '../parts/resource.tsx';
import { Table } from '../parts/table.tsx';
import { attempt } from '../parts/toasts.tsx';
import { InvitationLink, InviteDialog, RoleChoice } from '../people/invite.tsx';
import { RemoveDialog } from '../people/remove.tsx';
import { setQuery } from '../router.ts';
import { client, session } from '../state.ts';
import { roles, roleWords } from '../words.ts';

type Asked = { what: 'invite' } | { what: 'role' | 'remove'; member: Member } | { what: 'link'; email: string; link: string };

export default function PeoplePage() {
  const people = useResource('people', (signal) => client.people.list(signal));
  const [asked, setAsked] = useState<Asked | null>(null);
  const link = useOnce();
  const close = () => setAsked(null);
  const invite = async (email: string, role: Role, options: OwnKey = {}) => {
    const { link } = await client.people.invite({ email, role }, options);
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
      <Filters />
      <Loaded of={people}>
        {({ data }) => {
          const shown = data.filter(isSought);
          return shown.length === 0 ? (
            <Empty title="Nobody matches">
              <button type="button" onClick={() => setQuery({ name: '', role: '', state: '' })}>
                Show everybody
              </button>
            </Empty>
          ) : (
            <PeopleTable
              people={shown}
              onAsk={(what, member) => setAsked({ what, member })}
              onLink={({ email, role }) => void link.run(() => attempt(() => invite(email, role), null))}
              isLinking={link.isBusy}
            />
          );
        }}
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
      {asked?.what === 'remove' && asked.member.status === 'invited' && (
        <Confirm
          title="Withdraw the invitation?"
          verb="Withdraw"
          isDanger
          onNo={close}
          onYes={() => {
            close();
            void attempt(() => client.people.remove(asked.member.id), `${nameOf(asked.member)} no longer belongs to the app.`).then(
              people.reload,
            );
          }}
        >
          <p>The link that {asked.member.email} was given no longer works.</p>
        </Confirm>
      )}
      {asked?.what === 'remove' && asked.member.status !== 'invited' && (
        <RemoveDialog
          member={asked.member}
          name={nameOf(asked.member)}
          onClose={close}
          onDone={() => {
            close();
            people.reload();
          }}
        />
      )}
      {asked?.what === 'link' && <InvitationLink {...asked} onClose={close} />}
    </>
  );
}

const nameOf = ({ name, email }: Member): string => name ?? email;

const isOwn = ({ id }: Member): boolean => id === session.value?.person.id;

const STATES: Readonly<Record<Member['status'], Worded>> = {
  active: { word: 'Active', tone: 'good' },
  invited: { word: 'Invited', tone: 'info' },
  disabled: { word: 'Disabled', tone: 'bad' },
};

/** All people of the app come in one answer, so they are narrowed here. */
function isSought({ name, email, role, status }: Member): boolean {
  const [wantedRole, wantedState] = [filterOf('role'), filterOf('state')];
  return (
    `${name ?? ''} ${email}`.toLowerCase().includes(filterOf('name').toLowerCase()) &&
    (wantedRole === '' || wantedRole === role) &&
    (wantedState === '' || wantedState === status)
  );
}

const Filters = () => (
  <FilterForm>
    <Filter name="role" label="Role" options={[['', 'All'], ...roles.map((role) => [role, roleWords[role].word] as const)]} />
    <Filter name="state" label="State" options={[['', 'All'], ...Object.entries(STATES).map(([id, { word }]) => [id, word] as const)]} />
    <Search name="name" label="Who" placeholder="Name or e-mail" />
  </FilterForm>
);

interface TableProps {
  people: Member[];
  onAsk: (what: 'role' | 'remove', member: Member) => void;
  onLink: (member: Member) => void;
  /** True while a link is being made: a second one would invalidate the first. */
  isLinking: boolean;
}

function PeopleTable({ people, onAsk, onLink, isLinking }: TableProps) {
  return (
    <Table
      caption="People of the app, and those who are invited"
      name="People"
      isCard
      rows={people}
      keyOf={(member) => member.id}
      columns={[
        {
          name: 'Person',
          isHead: true,
          cell: (member) => (
            <>
              <bdi>{nameOf(member)}</bdi>
              {isOwn(member) && <span class="soft"> (you)</span>}
              {member.name && <small class="soft below">{member.email}</small>}
            </>
          ),
        },
        { name: 'Role', cell: (member) => roleWords[member.role].word },
        { name: 'State', cell: (member) => <State {...STATES[member.status]} /> },
        {
          name: 'Second factor',
          cell: (member) => (member.status === 'invited' ? '–' : member.second_factor ? 'Yes' : <span class="soft">None</span>),
        },
        { name: 'Since', cell: (member) => <Time at={member.accepted_at ?? member.invited_at} /> },
        {
          name: 'Actions',
          isNameUnseen: true,
          cell: (member) => {
            const named = (
              <span class="unseen">
                {' '}
                <bdi>{nameOf(member)}</bdi>
              </span>
            );
            return (
              !isOwn(member) && (
                <div class="row-actions">
                  {member.status === 'invited' ? (
                    <button type="button" class="plain" aria-disabled={isLinking} onClick={() => onLink(member)}>
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
              )
            );
          },
        },
      ]}
    />
  );
}

function RoleDialog({ member, onClose, onDone }: { member: Member; onClose: () => void; onDone: () => void }) {
  const [role, setRole] = useState<Role>(member.role);
  return (
    <FormDialog
      title={`Role of ${nameOf(member)}`}
      verb="Save"
      isReady={role !== member.role}
      onClose={onClose}
      onSubmit={() => client.people.changeRole(member.id, role).then(onDone)}
    >
      <RoleChoice chosen={role} onChange={setRole} />
      <p class="soft">It applies from their next click.</p>
    </FormDialog>
  );
}
