/** The demo app of the embedded mode. It is created once; its keys are kept in `$CONFAM_DATA_DIR/sandbox.json` (mode 0600) for scripts and people. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { createApp } from '../src/access/apps.ts';
import { bySystem } from '../src/access/audit/append.ts';
import { createKey } from '../src/access/keys.ts';
import { addFirstOwner, findAccount, setName } from '../src/access/people/accounts.ts';
import { linkUrl, newSignInLink } from '../src/access/people/links.ts';
import { type Config, ConfigError } from '../src/foundation/config.ts';
import type { Context } from '../src/foundation/context.ts';
import { readWhole, writeDurably } from '../src/foundation/durable-files.ts';
import { parseId, showId } from '../src/foundation/ids.ts';
import { topUp } from '../src/money/ledger.ts';

const SandboxFile = z.object({
  base_url: z.string(),
  app_id: z.string(),
  test_key: z.string(),
  live_key: z.string(),
  admin_key: z.string(),
  webhook_secret: z.string(),
});
export type SandboxFile = z.infer<typeof SandboxFile>;

/** In each of its wallets. */
export const DEMO_KOBO = 5_000_000_00;
/** Nobody can own a name under `.invalid` (RFC 2606). */
const DEMO_OWNER = 'owner@demo.invalid';

const sandboxPath = (config: Config): string => join(config.CONFAM_DATA_DIR, 'sandbox.json');

/** The demo app. It is created if the file is missing or belongs to another database; `isNew` means that its keys were never shown. */
export async function ensureSandbox(ctx: Context, baseUrl: string): Promise<{ sandbox: SandboxFile; isNew: boolean }> {
  const path = sandboxPath(ctx.config);
  const known = readWhole(path, SandboxFile);
  if (!known && existsSync(path))
    throw new ConfigError(`${path} is damaged: restore it from a backup, or delete it, and the next start makes another demo app`);
  const isKnown =
    known !== null && (await ctx.sql`select 1 from apps where id = ${parseId('app', known.app_id)} and deleted_at is null`).length > 0;
  const sandbox = isKnown ? { ...known, base_url: baseUrl } : await createSandbox(ctx, baseUrl);
  writeDurably(path, `${JSON.stringify(sandbox, null, 2)}\n`, 0o600);
  return { sandbox, isNew: !isKnown };
}

/** A link that signs the demo app's owner in once. Null if somebody has disabled them. */
export async function demoSignInLink(ctx: Context, { app_id }: SandboxFile, baseUrl: string): Promise<string | null> {
  await addFirstOwner(ctx, parseId('app', app_id)!, DEMO_OWNER);
  const owner = await findAccount(ctx, DEMO_OWNER);
  const isNameless = owner !== null && (await ctx.sql`select 1 from people where id = ${owner.id} and name is null`).length > 0;
  if (isNameless) await setName(ctx, owner.id, 'Demo owner', bySystem('setup'));
  return owner && !owner.isDisabled ? linkUrl(baseUrl, 'sign_in', await newSignInLink(ctx, owner.id)) : null;
}

async function createSandbox(ctx: Context, baseUrl: string): Promise<SandboxFile> {
  // Its keys can do everything. Other apps start with nothing enabled that sends data outside.
  const app = await createApp(ctx, 'Demo', { emailBreaches: true, emailMailboxes: true });
  for (const live of [true, false]) await topUp(ctx.sql, { appId: app.id, live }, DEMO_KOBO, 'demo balance');
  const key = async (kind: 'test' | 'live' | 'admin') => (await createKey(ctx, kind, kind === 'admin' ? null : app.id))!.key;
  return {
    base_url: baseUrl,
    app_id: showId('app', app.id),
    test_key: await key('test'),
    live_key: await key('live'),
    admin_key: await key('admin'),
    webhook_secret: app.webhookSecret,
  };
}
