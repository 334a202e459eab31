/** Signing in and out, and the sessions of a person. How people change what they sign in with is in `sign-in-settings.ts`. */
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import type { z } from 'zod';
import { readAccount, readPeople, readRoles, setName } from '../access/people/accounts.ts';
import { readInvitation } from '../access/people/links.ts';
import { OIDC_CALLBACK } from '../access/people/oidc.ts';
import { challengePasskey, usePasskey } from '../access/people/passkeys.ts';
import { csrfToken, endSession, endSessions, hasTwoFactors, listSessions, type Session } from '../access/people/sessions.ts';
import { needsCurrentPassword, redeemLink, signInByPassword } from '../access/people/sign-in.ts';
import { scopesOf } from '../access/roles.ts';
import { showInstant } from '../contract/fields.ts';
import {
  type invitationAnswer,
  invitationTokenBody,
  linkBody,
  type listedSessionAnswer,
  nameBody,
  oidcBody,
  type sessionAnswer,
  signInBody,
} from '../contract/people.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import type { Service } from '../pipeline/service.ts';
import { authorOf } from './audited.ts';
import { begin, whereOf } from './begin-session.ts';
import { envelope, sessionOf } from './http.ts';
import { answer } from './openapi/operation.ts';
import { listOf, objectOf, refTo } from './openapi/schema.ts';
import { partyOf } from './passkey-party.ts';
import { lenientRoute, route } from './route.ts';

const SESSION = '/api/v1/session';
const SESSIONS = '/api/v1/sessions';

const visitor = { tag: 'people', who: 'visitor' } as const;
const person = { tag: 'people', who: 'person' } as const;

const signingIn = { change: 'session.begin' } as const;
const ending = { change: 'session.end' } as const;
const themselves = { none: 'shows people only themselves' } as const;
const begins = { none: 'begins a sign-in, which leaves its own entry' } as const;

export const sessionRoutes = [
  route({
    ...visitor,
    method: 'post',
    path: SESSION,
    id: 'signIn',
    audit: signingIn,
    summary: 'Sign in with an address and a password, or with a passkey',
    description:
      'Sets the cookie of the session. 401 `second_factor_required` lists the second factors of somebody whose password is right. After too many failures, further attempts have to wait, except in a browser that has signed in before.',
    body: { schema: signInBody, example: { email: 'ada@bank.example', password: 'a long sentence only I know', code: '123456' } },
    answers: { 200: answer('Who has signed in', refTo('Session')) },
    errors: ['unauthenticated', 'second_factor_required'],
    async handle(c, tools) {
      const { service, people, body } = tools;
      if (body.passkey) {
        const { failed } = whereOf(c, tools);
        const used = await usePasskey(service, partyOf(service.config), body.passkey as unknown as AuthenticationResponseJSON, failed);
        const account = used && (await readAccount(service, used.personId));
        if (!account) {
          service.metrics.failedSignIns.inc({ reason: 'wrong_password' });
          throw new ApiError('unauthenticated', 'The passkey is not registered here, or the request took too long');
        }
        const session = await begin(c, tools, { ...used, email: account.email, method: 'passkey' });
        return envelope(c, await showSession(service, session));
      }
      const { email, password, code, recovery_code: recoveryCode } = body;
      const signedIn = await signInByPassword(
        service,
        people.passwords,
        { email: email!, password: password!, code, recoveryCode },
        whereOf(c, tools),
      );
      return envelope(c, await showSession(service, await begin(c, tools, signedIn)));
    },
  }),
  route({
    ...visitor,
    method: 'post',
    path: `${SESSION}/link`,
    id: 'useLink',
    audit: signingIn,
    summary: 'Use a one-time link: an invitation, or a link to sign in with',
    description:
      'Somebody who is new sets a password with the invitation and is signed in. Somebody who can sign in already accepts it while signed in, with the CSRF token. A link to sign in with stands in for the password, not for the second factor.',
    body: { schema: linkBody, example: { token: 'nE3…', password: 'a long sentence only I know', name: 'Ada Obi' } },
    answers: { 200: answer('Who has signed in', refTo('Session')) },
    errors: ['unauthenticated', 'forbidden', 'second_factor_required', 'link_invalid'],
    async handle(c, tools) {
      const { service, people, body } = tools;
      const session = await people.signedIn(c);
      const { token, password, name, code, recovery_code: recoveryCode } = body;
      const where = { ...whereOf(c, tools), session };
      const used = await people.renewing(c, () =>
        redeemLink(service, people.passwords, token, { password, name, code, recoveryCode }, where),
      );
      if (used !== 'accepted') return envelope(c, await showSession(service, await begin(c, tools, used)));
      return envelope(c, await showSession(service, session!));
    },
  }),
  route({
    ...visitor,
    method: 'post',
    path: `${SESSION}/invitation`,
    id: 'readInvitation',
    audit: { none: 'shows the invited only their own invitation' },
    summary: 'Look at an invitation without using it',
    description:
      'Before a password is chosen: to which app, in which role, and for which address. It does not say whether that address has an account.',
    body: { schema: invitationTokenBody, example: { token: 'nE3…' } },
    answers: { 200: answer('The invitation', refTo('Invitation')) },
    errors: ['link_invalid'],
    async handle(c, { service, body }) {
      const { email, app } = await readInvitation(service, body.token);
      return envelope<z.infer<typeof invitationAnswer>>(c, {
        object: 'invitation',
        email,
        app: app?.name ?? null,
        role: app?.role ?? null,
      });
    },
  }),
  route({
    ...person,
    method: 'get',
    path: SESSION,
    id: 'readSession',
    audit: themselves,
    summary: 'Who is signed in, with the apps and the CSRF token',
    answers: { 200: answer('The session', refTo('Session')) },
    handle: async (c, { service }) => envelope(c, await showSession(service, sessionOf(c))),
  }),
  route({
    ...person,
    method: 'patch',
    path: SESSION,
    id: 'changeOwnName',
    audit: { change: 'person.change' },
    summary: 'Change your name',
    body: { schema: nameBody, example: { name: 'Ada Obi' } },
    answers: { 200: answer('The session', refTo('Session')) },
    async handle(c, { service, body }) {
      await setName(service, sessionOf(c).personId, body.name, authorOf(c));
      return envelope(c, await showSession(service, sessionOf(c)));
    },
  }),
  route({
    ...person,
    method: 'delete',
    path: SESSION,
    id: 'signOut',
    audit: ending,
    summary: 'Sign out',
    answers: { 200: answer('Signed out', objectOf({ object: { const: 'session' }, id: { type: 'string' }, ended: { const: true } })) },
    async handle(c, { service, people }) {
      const { id, personId } = sessionOf(c);
      await endSession(service, personId, id, authorOf(c));
      c.set('newSessionToken', null);
      people.cookies.setSession(c, null);
      c.header('Clear-Site-Data', '"cache", "storage"');
      return envelope(c, { object: 'session', id: showId('ses', id), ended: true });
    },
  }),
  route({
    ...person,
    method: 'get',
    path: SESSIONS,
    id: 'listSessions',
    audit: themselves,
    summary: 'Your sessions, most recently used first',
    answers: { 200: answer('All sessions', listOf(refTo('ListedSession'))) },
    async handle(c, { service }) {
      const current = sessionOf(c);
      const sessions = await listSessions(service, current.personId);
      const data = sessions.map(
        (session): z.infer<typeof listedSessionAnswer> => ({
          object: 'session',
          id: showId('ses', session.id),
          current: session.id === current.id,
          method: session.method,
          address: session.address,
          browser: session.browser,
          created_at: showInstant(session.createdAt),
          seen_at: showInstant(session.seenAt),
        }),
      );
      return envelope(c, { object: 'list', data });
    },
  }),
  route({
    ...person,
    method: 'delete',
    path: SESSIONS,
    id: 'endOtherSessions',
    audit: ending,
    summary: 'End all your sessions but this one',
    answers: { 200: answer('Ended', objectOf({ object: { const: 'session' }, ended: { const: true } })) },
    async handle(c, { service }) {
      const { id, personId } = sessionOf(c);
      await service.sql.begin((tx) => endSessions(tx, personId, authorOf(c), id));
      return envelope(c, { object: 'session', ended: true });
    },
  }),
  route({
    ...person,
    method: 'delete',
    path: `${SESSIONS}/:id`,
    id: 'endSession',
    audit: ending,
    summary: 'End one of your sessions',
    answers: { 200: answer('Ended', objectOf({ object: { const: 'session' }, id: { type: 'string' }, ended: { const: true } })) },
    async handle(c, { service, params }) {
      const id = parseId('ses', params.id);
      if (!id || !(await endSession(service, sessionOf(c).personId, id, authorOf(c))))
        throw new ApiError('resource_not_found', 'You have no such session');
      return envelope(c, { object: 'session', id: params.id, ended: true });
    },
  }),
  route({
    ...visitor,
    method: 'post',
    path: `${SESSION}/passkey`,
    id: 'challengePasskey',
    audit: begins,
    summary: 'Begin to sign in with a passkey',
    answers: { 200: answer('For `navigator.credentials.get`', objectOf({ options: { type: 'object' } })) },
    errors: ['conflict'],
    async handle(c, { service }) {
      return envelope(c, { options: await challengePasskey(service, partyOf(service.config)) });
    },
  }),
];

const notConfigured = () => new ApiError('resource_not_found', 'No identity provider is configured');

export const oidcRoutes = [
  route({
    ...visitor,
    method: 'post',
    path: `${SESSION}/oidc`,
    id: 'beginOidc',
    audit: begins,
    summary: 'Begin to sign in through the operator’s identity provider',
    description:
      'With the token of an invitation, this sign-in accepts it, if it is for the person who signs in; otherwise the invitation stays as it was.',
    body: { schema: oidcBody, example: { token: 'nE3…' }, isOptional: true },
    answers: { 200: answer('Where to send the browser', objectOf({ url: { type: 'string' } })) },
    errors: ['resource_not_found', 'link_invalid'],
    async handle(c, { people, body }) {
      if (!people.oidc) throw notConfigured();
      const { url, browser } = await people.oidc.begin(body.token);
      people.cookies.setOidc(c, browser);
      return envelope(c, { url });
    },
  }),
  // The identity provider sends the browser here, with parameters of its own: no operation for clients.
  lenientRoute({
    who: 'visitor',
    audit: signingIn,
    method: 'get',
    path: OIDC_CALLBACK,
    async handle(c, tools) {
      const { people } = tools;
      if (!people.oidc) throw notConfigured();
      const signedIn = await people.oidc.finish(
        new URL(c.req.url).searchParams,
        people.cookies.oidc(c),
        whereOf(c, tools).failed,
        authorOf(c),
      );
      people.cookies.setOidc(c, null);
      if (!signedIn) tools.service.metrics.failedSignIns.inc({ reason: 'identity_provider' });
      if (!signedIn) return c.redirect('/console/sign-in?failed=oidc', 303);
      await begin(c, tools, signedIn);
      return c.redirect(signedIn.hasAccepted === false ? '/console/?invitation=open' : '/console/', 303);
    },
  }),
];

export async function showSession(service: Service, session: Session): Promise<z.infer<typeof sessionAnswer>> {
  const [[found], account, roles] = await Promise.all([
    readPeople(service, { id: session.personId, limit: 1 }),
    readAccount(service, session.personId),
    readRoles(service, session.personId),
  ]);
  if (!found || !account) throw new ApiError('unauthenticated', 'Sign in first');
  // As it is now: this request may have added a factor.
  const isWeak = !hasTwoFactors(service, { ...session, hasFactor: account.totp !== null || account.passkeys > 0 });
  return {
    object: 'session',
    id: showId('ses', session.id),
    person: { id: showId('per', found.id), email: found.email, name: found.name },
    administrator: found.administrator,
    csrf_token: csrfToken(service, session.id),
    may_change_sign_in: session.isFresh,
    current_password_required: needsCurrentPassword(account, session),
    second_factor_setup_required: service.config.CONFAM_REQUIRE_SECOND_FACTOR && isWeak,
    apps: roles.map(({ appId, name, role, needsSecondFactor }) => ({
      id: showId('app', appId),
      name,
      role,
      scopes: [...scopesOf(role)],
      second_factor_setup_required: (service.config.CONFAM_REQUIRE_SECOND_FACTOR || needsSecondFactor) && isWeak,
    })),
    factors: {
      password: account.password !== null,
      totp: account.totp !== null,
      passkeys: account.passkeys,
      recovery_codes: account.recoveryCodes,
    },
  };
}
