/** The people of an app, and those of the deployment. */
import type { z } from 'zod';
import { UNRESTRICTED } from '../access/keys.ts';
import {
  type AnyPerson,
  changeRole,
  disablePerson,
  enablePerson,
  type Member,
  readMembers,
  readPeople,
  removeMember,
} from '../access/people/accounts.ts';
import { consoleUrl, inviteAdministrator, inviteToApp, linkUrl, newSignInLink } from '../access/people/links.ts';
import { excesses, hasScope } from '../access/restrictions.ts';
import { type Role, scopesOf } from '../access/roles.ts';
import { showInstant, showInstantOrNull } from '../contract/fields.ts';
import { memberOf } from '../contract/keys.ts';
import {
  adminInvitationBody,
  invitationBody,
  type memberAnswer,
  peopleQuery,
  type personAnswer,
  personPatch,
  rolePatch,
} from '../contract/people.ts';
import { pagesOf, parseCursor } from '../foundation/cursor.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import type { Service } from '../pipeline/service.ts';
import { authorOf } from './audited.ts';
import { callerOf, envelope, type Http } from './http.ts';
import { ownTerms } from './key-rules.ts';
import { answer } from './openapi/operation.ts';
import { listOf, objectOf, pageOf, refTo } from './openapi/schema.ts';
import { page, refusedCursor } from './pages.ts';
import { route } from './route.ts';

const PEOPLE = '/api/v1/people';
const ADMIN_PEOPLE = '/api/v1/admin/people';

const beyondApp = 'a person may belong to several apps';
const common = { tag: 'people', who: 'app', scope: 'people', beyondApp } as const;
const admin = { tag: 'operator', who: 'admin' } as const;

const text = { type: 'string' };
const invitation = answer(
  'Give the link to the person; it works once, for a week',
  objectOf({ id: text, object: { const: 'person' }, link: text }),
);

const noPerson = () => new ApiError('resource_not_found', 'There is no such person');

const personId = (shown: string): string => {
  const id = parseId('per', shown);
  if (!id) throw noPerson();
  return id;
};

const showInvitation = ({ config }: Service, { personId: id, token }: { personId: string; token: string }) => ({
  id: showId('per', id),
  object: 'person',
  link: linkUrl(consoleUrl(config), 'invitation', token),
});

/**
 * A key neither gives a person more than it has, nor takes more from one. People act in both modes, and nothing but their role limits them: so a key that is restricted in another way than by its
 * scopes, or restricted at all and of test mode, does neither.
 */
function refuseRole(c: Http, role: Role, what: 'give' | 'take away' = 'give'): void {
  const { terms = UNRESTRICTED, live } = callerOf(c);
  const limits = excesses(terms, UNRESTRICTED);
  if (limits.length === 0) return;
  const lacking = [...scopesOf(role)].filter((scope) => !hasScope(terms, scope));
  const beyond = [
    ...(live ? [] : [{ path: 'mode', message: 'is test, and a person acts in live mode too' }]),
    ...(lacking.length === 0 ? [] : [{ path: 'scopes', message: `lack ${lacking.join(', ')}` }]),
    ...limits.flatMap((name) =>
      name === 'scopes' ? [] : [{ path: memberOf[name], message: 'limits this key, and would not limit the person' }],
    ),
  ];
  if (beyond.length === 0) return;
  const reasons = beyond.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw new ApiError('forbidden', `A restricted key cannot ${what} the role ${role}, which may do more than the key: ${reasons}`, {
    details: beyond.map((detail) => ({ ...detail, rule: 'exceeds_own' })),
  });
}

function positionIn({ cipher }: Service, cursor: string): { createdAt: string; id: string } {
  const position = parseCursor(cipher, ADMIN_PEOPLE, cursor);
  if (position === null) throw refusedCursor();
  const at = position.lastIndexOf(' ');
  return { createdAt: position.slice(0, at), id: position.slice(at + 1) };
}

const keepsRole = (c: Http) => (role: Role) => refuseRole(c, role, 'take away');

/** Nothing limits an administrator, so an admin key with limits neither makes one nor lets anybody in as one. */
function refuseAdministrator(c: Http): void {
  const limits = excesses(ownTerms(c), UNRESTRICTED).map((name) => memberOf[name]);
  if (limits.length === 0) return;
  throw new ApiError(
    'forbidden',
    `A restricted key cannot let in an administrator, because administrators have no such limits: ${limits.join(', ')}`,
    {
      details: limits.map((path) => ({ path, message: 'limits this key, and would not limit the person', rule: 'exceeds_own' })),
    },
  );
}

export const peopleRoutes = [
  route({
    ...common,
    method: 'get',
    path: PEOPLE,
    id: 'listPeople',
    audit: { read: 'people.read' },
    summary: 'The people of the app, and those who are invited',
    answers: { 200: answer('At most 200 people', listOf(refTo('Member'))) },
    async handle(c, { service }) {
      return envelope(c, { object: 'list', data: (await readMembers(service, callerOf(c).appId)).map(showMember) });
    },
  }),
  route({
    ...common,
    method: 'post',
    path: PEOPLE,
    id: 'invitePerson',
    audit: { change: 'person.invite' },
    summary: 'Invite somebody to the app; a second invitation replaces the first',
    body: { schema: invitationBody, example: { email: 'bisi@bank.example', role: 'operator' } },
    answers: { 201: invitation },
    errors: ['conflict'],
    async handle(c, { service, body }) {
      refuseRole(c, body.role);
      const invited = await inviteToApp(service, { ...body, appId: callerOf(c).appId }, authorOf(c), keepsRole(c));
      return envelope(c, showInvitation(service, invited), 201);
    },
  }),
  route({
    ...common,
    method: 'patch',
    path: `${PEOPLE}/:id`,
    id: 'changePerson',
    audit: { change: 'person.role' },
    summary: 'Change somebody’s role in the app',
    body: { schema: rolePatch, example: { role: 'approver' } },
    answers: { 200: answer('The person', refTo('Member')) },
    errors: ['conflict'],
    async handle(c, { service, params, body }) {
      refuseRole(c, body.role);
      const change = { appId: callerOf(c).appId, personId: personId(params.id), role: body.role };
      const member = await changeRole(service, change, { by: authorOf(c), refuse: keepsRole(c) });
      if (!member) throw noPerson();
      return envelope(c, showMember(member));
    },
  }),
  route({
    ...common,
    method: 'delete',
    path: `${PEOPLE}/:id`,
    id: 'removePerson',
    audit: { change: 'person.remove' },
    summary: 'Remove somebody from the app, or withdraw an invitation',
    answers: { 200: answer('Removed', objectOf({ id: text, object: { const: 'person' }, removed: { const: true } })) },
    errors: ['conflict'],
    async handle(c, { service, params }) {
      const leaving = { appId: callerOf(c).appId, personId: personId(params.id) };
      const removed = await removeMember(service, leaving, { by: authorOf(c), refuse: keepsRole(c) });
      if (!removed) throw noPerson();
      return envelope(c, { id: params.id, object: 'person', removed: true });
    },
  }),
];

export const adminPeopleRoutes = [
  route({
    ...admin,
    method: 'get',
    path: ADMIN_PEOPLE,
    id: 'listAllPeople',
    audit: { read: 'people.read' },
    summary: 'Everybody who may sign in, newest first',
    query: peopleQuery,
    answers: { 200: answer('A page', pageOf(refTo('Person'))) },
    async handle(c, { service, query: { limit, cursor } }) {
      const people = await readPeople(service, { before: cursor === undefined ? null : positionIn(service, cursor), limit: limit + 1 });
      const pages = pagesOf(service.cipher, ADMIN_PEOPLE);
      const { page: shown, nextCursor } = pages.page(people, limit, ({ createdAt, id }) => `${createdAt} ${id}`);
      return envelope(c, page(shown.map(showPerson), nextCursor));
    },
  }),
  route({
    ...admin,
    method: 'post',
    path: ADMIN_PEOPLE,
    id: 'inviteAnyPerson',
    audit: { change: 'person.invite' },
    summary: 'Invite somebody to an app, or to administer the deployment',
    body: { schema: adminInvitationBody, example: { email: 'ada@bank.example', app: 'app_…', role: 'owner' } },
    answers: { 201: invitation },
    errors: ['conflict', 'resource_not_found'],
    async handle(c, { service, body: { email, app, role, administrator } }) {
      const appId = parseId('app', app ?? '');
      if (administrator) refuseAdministrator(c);
      if (!administrator && !appId) throw new ApiError('resource_not_found', 'There is no such app');
      const invited = administrator
        ? await inviteAdministrator(service, email, authorOf(c))
        : await inviteToApp(service, { email, appId: appId!, role: role! }, authorOf(c));
      return envelope(c, showInvitation(service, invited), 201);
    },
  }),
  route({
    ...admin,
    method: 'patch',
    path: `${ADMIN_PEOPLE}/:id`,
    id: 'disablePerson',
    audit: { change: 'person.disable' },
    summary: 'Disable somebody, which ends their sessions at once, or enable them again',
    body: { schema: personPatch, example: { disabled: true } },
    answers: { 200: answer('The person', refTo('Person')) },
    async handle(c, { service, params, body }) {
      const id = personId(params.id);
      const change = body.disabled ? disablePerson : enablePerson;
      if (!(await change(service, id, authorOf(c)))) throw noPerson();
      const [person] = await readPeople(service, { id, limit: 1 });
      return envelope(c, showPerson(person!));
    },
  }),
  route({
    ...admin,
    method: 'post',
    path: `${ADMIN_PEOPLE}/:id/sign-in-link`,
    id: 'newSignInLink',
    audit: { change: 'person.link' },
    summary: 'Make a link that signs somebody in once, within a quarter of an hour, in place of their password',
    answers: { 201: answer('The link', objectOf({ id: text, object: { const: 'person' }, link: text })) },
    async handle(c, { service, params }) {
      const id = personId(params.id);
      const [person] = await readPeople(service, { id, limit: 1 });
      if (!person || person.disabledAt) throw noPerson();
      if (person.administrator) refuseAdministrator(c);
      return envelope(
        c,
        {
          id: params.id,
          object: 'person',
          link: linkUrl(consoleUrl(service.config), 'sign_in', await newSignInLink(service, id, authorOf(c))),
        },
        201,
      );
    },
  }),
];

const showMember = (member: Member): z.infer<typeof memberAnswer> => ({
  object: 'person',
  id: showId('per', member.id),
  email: member.email,
  name: member.name,
  role: member.role,
  status: member.acceptedAt === null ? 'invited' : member.disabledAt === null ? 'active' : 'disabled',
  second_factor: member.hasSecondFactor,
  invited_at: showInstant(member.createdAt),
  accepted_at: showInstantOrNull(member.acceptedAt),
});

const showPerson = (person: AnyPerson): z.infer<typeof personAnswer> => ({
  object: 'person',
  id: showId('per', person.id),
  email: person.email,
  name: person.name,
  administrator: person.administrator,
  status: person.disabledAt === null ? 'active' : 'disabled',
  second_factor: person.hasSecondFactor,
  apps: person.apps.map(({ id, role, acceptedAt }) => ({ id: showId('app', id), role, accepted: acceptedAt !== null })),
  created_at: showInstant(person.createdAt),
});
