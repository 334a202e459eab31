/** How a person signs in: password, authenticator app, passkeys, recovery codes. Changes need a recent sign-in, and end the person's other sessions. */
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { type Account, readAccount } from '../access/people/accounts.ts';
import { addPasskey, beginPasskey, type ListedPasskey, listPasskeys, removePasskey } from '../access/people/passkeys.ts';
import { newRecoveryCodes } from '../access/people/recovery-codes.ts';
import { endSessions, renewSession } from '../access/people/sessions.ts';
import { setPassword } from '../access/people/sign-in.ts';
import { beginTotp, confirmTotp, removeTotp } from '../access/people/totp.ts';
import { showInstant, showInstantOrNull } from '../contract/fields.ts';
import { codeBody, passkeyBody, passwordBody } from '../contract/people.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { authorOf } from './audited.ts';
import { whereOf } from './begin-session.ts';
import { envelope, type Http, sessionOf } from './http.ts';
import { answer } from './openapi/operation.ts';
import { listOf, objectOf, refTo } from './openapi/schema.ts';
import { partyOf } from './passkey-party.ts';
import { refuseWithoutSecondFactor } from './person-guard.ts';
import { route } from './route.ts';
import { showSession } from './session.ts';
import type { Tools } from './tools.ts';

const common = { tag: 'people', who: 'person', audit: { change: 'person.change' } } as const;
/** For routes that show people only themselves, or change nothing yet. */
const none = { audit: { none: 'shows people only themselves' } } as const;

/** The person of a recent sign-in, with their second factor if they have one: a stolen session, or one factor alone, must not take the account over. */
async function freshAccount(c: Http, { service }: Tools): Promise<Account> {
  const session = sessionOf(c);
  const { isFresh, personId } = session;
  if (session.hasFactor && !session.hasEnrolled) refuseWithoutSecondFactor(service, session);
  if (!isFresh) throw new ApiError('sign_in_again', 'Changing how you sign in needs a recent sign-in; sign in again first');
  return (await readAccount(service, personId))!;
}

/** Ends the other sessions, and shows this one with its new factors. */
async function changed(c: Http, { service }: Tools): Promise<Response> {
  const { id, personId } = sessionOf(c);
  await service.sql.begin((tx) => endSessions(tx, personId, authorOf(c), id));
  return envelope(c, await showSession(service, sessionOf(c)));
}

/** Routes that change how the person signs in. */
const byFreshAccount = { ...common, find: freshAccount } as const;
const refusals = ['sign_in_again', 'second_factor_setup_required'] as const;

/** Replaces the token of a session that may do more by now. */
const renew = async (c: Http, { service }: Tools): Promise<void> =>
  void c.set('newSessionToken', await renewSession(service, sessionOf(c).id));

const session = answer('The session', refTo('Session'));
const codes = { type: 'array', items: { type: 'string' } };

export const signInSettingsRoutes = [
  route({
    ...byFreshAccount,
    method: 'put',
    path: '/api/v1/session/password',
    id: 'setPassword',
    summary: 'Set or change your password',
    description:
      'Anyone who has a password must send the current one, unless a one-time link started the session. Wrong ones count as failed sign-ins. The other sessions end.',
    body: { schema: passwordBody, example: { password: 'a long sentence only I know', current_password: 'the sentence before' } },
    answers: { 200: session },
    errors: [...refusals, 'rate_limited'],
    async handle(c, tools) {
      const { service, people, found, body } = tools;
      const { password, current_password: current } = body;
      const asking = { account: found, session: sessionOf(c) };
      await setPassword(service, people.passwords, asking, { password, current }, { ...whereOf(c, tools), by: authorOf(c) });
      await renew(c, tools);
      return changed(c, tools);
    },
  }),
  route({
    ...byFreshAccount,
    method: 'post',
    path: '/api/v1/session/totp',
    ...none,
    id: 'beginTotp',
    summary: 'Begin to use an authenticator app',
    description: 'The secret is in use once a code from it has been confirmed.',
    answers: {
      200: answer('The secret, also as the text of a QR code', objectOf({ secret: { type: 'string' }, uri: { type: 'string' } })),
    },
    errors: refusals,
    handle: async (c, { service, found }) => envelope(c, await beginTotp(service, found.id, found.email)),
  }),
  route({
    ...byFreshAccount,
    method: 'post',
    path: '/api/v1/session/totp/confirm',
    id: 'confirmTotp',
    summary: 'Use the authenticator app from now on',
    body: { schema: codeBody, example: { code: '123456' } },
    answers: { 200: answer('The recovery codes, shown only now', objectOf({ recovery_codes: codes })) },
    errors: refusals,
    async handle(c, { found, body, ...tools }) {
      const { service } = tools;
      if (!(await confirmTotp(service, found.id, body.code, authorOf(c), sessionOf(c).id)))
        throw new ApiError('invalid_request', 'code is wrong', { details: [{ path: 'code', message: 'is wrong', rule: 'totp' }] });
      await renew(c, tools);
      return envelope(c, { recovery_codes: await newRecoveryCodes(service, found.id, authorOf(c), sessionOf(c).id) });
    },
  }),
  route({
    ...byFreshAccount,
    method: 'delete',
    path: '/api/v1/session/totp',
    id: 'removeTotp',
    summary: 'Stop using the authenticator app',
    answers: { 200: session },
    errors: refusals,
    async handle(c, tools) {
      await removeTotp(tools.service, tools.found.id, authorOf(c), sessionOf(c).id);
      return changed(c, tools);
    },
  }),
  route({
    ...byFreshAccount,
    method: 'post',
    path: '/api/v1/session/recovery-codes',
    id: 'newRecoveryCodes',
    summary: 'Replace your recovery codes',
    answers: { 200: answer('The codes, shown only now', objectOf({ recovery_codes: codes })) },
    errors: [...refusals, 'conflict'],
    async handle(c, { service, found }) {
      if (!found.totp && found.passkeys === 0)
        throw new ApiError('conflict', 'Recovery codes stand in for a second factor: set one up first');
      return envelope(c, { recovery_codes: await newRecoveryCodes(service, found.id, authorOf(c), sessionOf(c).id) });
    },
  }),
  route({
    ...common,
    method: 'get',
    path: '/api/v1/session/passkeys',
    ...none,
    id: 'listPasskeys',
    summary: 'Your passkeys',
    answers: { 200: answer('All passkeys', listOf(refTo('Passkey'))) },
    async handle(c, { service }) {
      const passkeys = await listPasskeys(service, sessionOf(c).personId);
      return envelope(c, { object: 'list', data: passkeys.map(showPasskey) });
    },
  }),
  route({
    ...byFreshAccount,
    method: 'post',
    path: '/api/v1/session/passkeys/options',
    ...none,
    id: 'beginPasskey',
    summary: 'Begin to add a passkey',
    answers: { 200: answer('For `navigator.credentials.create`', objectOf({ options: { type: 'object' } })) },
    errors: [...refusals, 'conflict'],
    handle: async (c, { service, found }) => envelope(c, { options: await beginPasskey(service, partyOf(service.config), found) }),
  }),
  route({
    ...byFreshAccount,
    method: 'post',
    path: '/api/v1/session/passkeys',
    id: 'addPasskey',
    summary: 'Add a passkey',
    body: { schema: passkeyBody },
    answers: { 201: answer('The passkey', refTo('Passkey')) },
    errors: [...refusals, 'conflict'],
    async handle(c, { found, body, ...tools }) {
      const { service } = tools;
      const { passkey, name } = body;
      const id = await addPasskey(
        service,
        partyOf(service.config),
        found.id,
        { name, response: passkey as unknown as RegistrationResponseJSON },
        { by: authorOf(c), session: sessionOf(c).id },
      );
      if (!id)
        throw new ApiError(
          'conflict',
          'The passkey was not added: the request took too long, the passkey is already registered, or you have too many',
        );
      await renew(c, tools);
      const added = (await listPasskeys(service, found.id)).find((listed) => listed.id === id)!;
      return envelope(c, showPasskey(added), 201);
    },
  }),
  route({
    ...byFreshAccount,
    method: 'delete',
    path: '/api/v1/session/passkeys/:id',
    id: 'removePasskey',
    summary: 'Remove a passkey',
    answers: { 200: session },
    errors: refusals,
    async handle(c, tools) {
      const id = parseId('pky', tools.params.id);
      if (!id || !(await removePasskey(tools.service, tools.found.id, id, authorOf(c), sessionOf(c).id)))
        throw new ApiError('resource_not_found', 'You have no such passkey');
      return changed(c, tools);
    },
  }),
];

const showPasskey = ({ id, name, createdAt, usedAt }: ListedPasskey) => ({
  object: 'passkey',
  id: showId('pky', id),
  name,
  created_at: showInstant(createdAt),
  used_at: showInstantOrNull(usedAt),
});
