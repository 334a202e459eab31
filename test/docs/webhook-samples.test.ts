/** The receivers of docs/webhooks.md, as shown: each accepts a genuine message and refuses any other without throwing, whatever its headers are. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { waitFor } from '../setup/database.ts';
import { hangUp } from '../setup/hang-up.ts';

const read = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8');
const page = read('docs/webhooks.md');
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;

/** The one sample in a language that contains a text. */
function sampleWith(language: string, text: string): string {
  const samples = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, code]) => code!);
  const [sample, ...others] = samples.filter((code) => code.includes(text));
  expect([typeof sample, others.length]).toEqual(['string', 0]);
  return sample!;
}

type Headers = Record<string, string>;
interface Message {
  headers: Headers;
  body: string;
}

const body = '{"type":"job.completed","data":{"reference":"é"}}';
const ID = 'evt_01a1fc18a97a7475b6c086823690913e';

function messages(signed: (id: string, at: Date, body: string) => string): { genuine: Message[]; forged: Message[] } {
  const made = (at: Date): Message => ({
    body,
    headers: {
      'webhook-id': ID,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signed(ID, at, body),
    },
  });
  const { headers } = made(new Date());
  const other = (changed: Headers): Message => ({ body, headers: { ...headers, ...changed } });
  const without = (name: string): Message => ({
    body,
    headers: Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name)),
  });
  return {
    genuine: [{ headers, body }, other({ 'webhook-signature': `v1,AAAA v1a,AAAA ${headers['webhook-signature']}` })],
    forged: [
      { headers, body: body.replace('completed', 'failed') },
      made(new Date(Date.now() - 400_000)),
      made(new Date(Date.now() + 400_000)),
      other({ 'webhook-id': 'evt_0' }),
      other({ 'webhook-timestamp': 'now' }),
      other({ 'webhook-signature': 'v1,\xe9 v1a,\xe9' }),
      { body, headers: {} },
      ...Object.keys(headers).map(without),
    ],
  };
}

describe('the samples of docs/webhooks.md verify', () => {
  test.skipIf(!hasPython)('in Python', () => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const { genuine, forged } = messages((id, at, text) => new Webhook(secret).sign(id, at, text));
    const program = `${sampleWith('python', 'def verify')}
import json, sys
print(json.dumps([verify(sys.argv[1], one["headers"], one["body"].encode()) for one in json.load(sys.stdin)]))`;
    const answer = execFileSync('python3', ['-c', program, secret], { input: JSON.stringify([...genuine, ...forged]), encoding: 'utf8' });
    expect(JSON.parse(answer)).toEqual([...genuine.map(() => true), ...forged.map(() => false)]);
  });

  test('by a public key', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const shown = `whpk_${Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url').toString('base64')}`;
    const { genuine, forged } = messages((id, at, text) => {
      const signed = Buffer.from(`${id}.${Math.floor(at.getTime() / 1000)}.${text}`);
      return `v1a,${sign(null, signed, privateKey).toString('base64')}`;
    });
    const code = `${sampleWith('js', 'function isGenuine')}\nexport { isGenuine };`;
    const { isGenuine } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      isGenuine: (publicKey: string, headers: Headers, body: Buffer) => boolean;
    };
    const verify = (one: Message) => isGenuine(shown, one.headers, Buffer.from(one.body));
    expect(genuine.map(verify)).toEqual(genuine.map(() => true));
    expect(forged.map(verify)).toEqual(forged.map(() => false));
  });
});

describe('the receivers outlive a sender that hangs up', () => {
  const [, guide] = /^cat > receiver\.mjs <<'END'\n(.*?)^END$/ms.exec(read('docs/guides/receive-webhooks.md'))!;
  test.each([
    ['of docs/webhooks.md', sampleWith('js', 'new Webhook(')],
    ['of the guide', guide!],
  ])('%s', async (_, code) => {
    const port = await freePort();
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const program = code.replace(/\.listen\(\d+/, `.listen(${port}`);
    const receiver = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: packageRoot(),
      env: { ...process.env, CONFAM_WEBHOOK_SECRET: secret },
      stdio: 'ignore',
    });
    onTestFinished(async () => {
      receiver.kill();
      if (receiver.exitCode === null && receiver.signalCode === null) await once(receiver, 'exit');
    });
    const url = `http://localhost:${port}/`;
    const post = (text: string, headers: Headers) => fetch(url, { method: 'POST', body: text, headers }).then(({ status }) => status);
    await waitFor('the receiver', () => post(body, {}).catch(() => null));
    await hangUp(url);
    const now = new Date();
    const signed = { 'webhook-id': ID, 'webhook-timestamp': String(Math.floor(now.getTime() / 1000)) };
    expect(await post(body, { ...signed, 'webhook-signature': new Webhook(secret).sign(ID, now, body) })).toBe(204);
    expect(await post(body, { ...signed, 'webhook-signature': 'v1,AAAA' })).toBe(400);
  });
});
