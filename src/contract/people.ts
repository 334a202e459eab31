/** People and their sessions: bodies, queries and answers. */
import { z } from 'zod';
import { personRole } from '../schema/people.ts';
import { count, instant, instantOrNull, shownName, text } from './fields.ts';
import { page } from './queries.ts';

const PASSWORD_CHARACTERS = { min: 12, max: 256 } as const;

export const address = z.email('must be an e-mail address').max(254, 'must be at most 254 characters');
const role = z.enum(personRole.enumValues);
/** As typed: compared with a hash, so only its length is bounded. */
const password = z.string().max(PASSWORD_CHARACTERS.max, `must be at most ${PASSWORD_CHARACTERS.max} characters`);
const newPassword = password
  .min(PASSWORD_CHARACTERS.min, `must be at least ${PASSWORD_CHARACTERS.min} characters`)
  .describe(`${PASSWORD_CHARACTERS.min} to ${PASSWORD_CHARACTERS.max} characters, without your address in it`);
const code = z.string().regex(/^\d{6}$/, 'must be six digits');
const name = shownName(100);

const secondFactor = {
  code: code.optional().describe('Code of the authenticator app'),
  recovery_code: z.string().max(40).optional().describe('One of the recovery codes'),
};

/** What a browser's `navigator.credentials` returns, as JSON. Its members are checked by the passkey library. */
const credential = z
  .looseObject({
    id: z.string().max(2000),
    rawId: z.string().max(2000),
    type: z.literal('public-key'),
    clientExtensionResults: z.looseObject({}).default({}),
    response: z.looseObject({ clientDataJSON: z.string().max(10_000), transports: z.array(z.string().max(30)).max(20).optional() }),
  })
  .describe('`PublicKeyCredential.toJSON()`');

/** An address and its password, with the second factor if there is one; or the answer of a passkey. */
export const signInBody = z
  .strictObject({ email: address.optional(), password: password.optional(), ...secondFactor, passkey: credential.optional() })
  .refine((body) => (body.passkey ? body.email === undefined && body.password === undefined : body.email && body.password), {
    message: 'email and password are needed, or a passkey without them',
  });

export const linkBody = z.strictObject({
  token: z.string().min(1).max(100).describe('What follows `#` in the link'),
  password: newPassword.optional().describe('With the invitation of somebody new'),
  name: name.optional(),
  ...secondFactor,
});

export const invitationTokenBody = linkBody.pick({ token: true });

/** With the token of an invitation, whoever it is for accepts it by this sign-in. */
export const oidcBody = invitationTokenBody.partial();

/** What the link of an invitation is for, before it is used. */
export const invitationAnswer = z.object({
  object: z.literal('invitation'),
  email: text.describe('Of the invited person'),
  app: text.nullable().describe('Its name; null: to administer the deployment'),
  role: role.nullable(),
});

export const passwordBody = z.strictObject({
  password: newPassword,
  current_password: password.optional().describe('The current one, if the session says `current_password_required`'),
});
export const codeBody = z.strictObject({ code });
export const nameBody = z.strictObject({ name });
export const passkeyBody = z.strictObject({ name, passkey: credential });

export const invitationBody = z.strictObject({ email: address, role });
export const rolePatch = z.strictObject({ role });

/** An invitation into an app with a role, or to administer the deployment. */
export const adminInvitationBody = z
  .strictObject({ email: address, app: z.string().optional(), role: role.optional(), administrator: z.literal(true).optional() })
  .refine((body) => (body.administrator ? !body.app && !body.role : body.app && body.role), {
    message: 'app and role are needed, or administrator without them',
  });

export const personPatch = z.strictObject({ disabled: z.boolean() });

export const peopleQuery = z.object({ limit: page.limit, cursor: page.cursor });

const factors = {
  password: z.boolean(),
  totp: z.boolean().describe('An authenticator app'),
  passkeys: count,
  recovery_codes: count.describe('Those that are left'),
};

const mustSetUp = z.boolean().describe('A second factor is required and was not shown: until it is, only setting it up is allowed');

export const sessionAnswer = z.object({
  object: z.literal('session'),
  id: text.describe('ses_…'),
  person: z.object({ id: text.describe('per_…'), email: text, name: text.nullable() }),
  administrator: z.boolean(),
  csrf_token: text.describe('To send as X-CSRF-Token with every request but GET and HEAD'),
  may_change_sign_in: z.boolean().describe('Whether the sign-in is recent enough for changing how you sign in'),
  current_password_required: z
    .boolean()
    .describe('Whether changing the password requires the current one: there is one, and this session was not started by a one-time link'),
  second_factor_setup_required: mustSetUp,
  apps: z.array(z.object({ id: text, name: text, role, scopes: z.array(text), second_factor_setup_required: mustSetUp })),
  factors: z.object(factors),
});

export const listedSessionAnswer = z.object({
  object: z.literal('session'),
  id: text,
  current: z.boolean(),
  method: text.describe('How it was begun: password+totp, passkey, link, oidc …'),
  address: text.describe('Where it was begun; of an IPv6 address only the network'),
  browser: text,
  created_at: instant,
  seen_at: instant,
});

export const passkeyAnswer = z.object({
  object: z.literal('passkey'),
  id: text.describe('pky_…'),
  name: text,
  created_at: instant,
  used_at: instantOrNull,
});

const person = { object: z.literal('person'), id: text.describe('per_…'), email: text, name: text.nullable() };

export const memberAnswer = z.object({
  ...person,
  role,
  status: z.enum(['invited', 'active', 'disabled']),
  second_factor: z.boolean(),
  invited_at: instant,
  accepted_at: instantOrNull,
});

export const personAnswer = z.object({
  ...person,
  administrator: z.boolean(),
  status: z.enum(['active', 'disabled']),
  second_factor: z.boolean(),
  apps: z.array(z.object({ id: text, role, accepted: z.boolean() })),
  created_at: instant,
});
