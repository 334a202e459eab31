/**
 * The commands of the documentation work as written: each page in a shell and a folder of its own, against a service as `npm start` runs it. A block that cannot
 * be run as it stands says so (`<!-- not run: reason -->`, which the site hides). README's first hour is in `first-hour.test.ts`, the samples of docs/checks.md
 * and docs/clients.md are in `test/docs/code-samples.test.ts` and `package.test.ts`.
 */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { again, canCompare, one, plain } from '../setup/face-pictures.ts';
import { type Block, blocksOf, makePrograms } from '../setup/pages.ts';
import { embeddedServer, killConfams, readSandbox, startConfam, untilReady } from '../setup/process.ts';
import { workbook } from '../setup/xlsx.ts';

const folder = mkdtempSync(join(tmpdir(), 'confam-pages-'));
// Where Postgres, as another user, can reach it.
chmodSync(folder, 0o711);
const data = join(folder, 'data');
let environment: Record<string, string>;
let receiver: number;

beforeAll(async () => {
  const port = await freePort();
  receiver = await freePort();
  const service = startConfam(['start'], {
    PORT: String(port),
    CONFAM_DATA_DIR: data,
    CONFAM_WEBHOOK_ALLOW_PRIVATE: 'loopback',
    CONFAM_FACE_THREADS: '1',
    ...(!canCompare && { CONFAM_FACE_MODELS: '/nowhere' }),
  });
  await untilReady(service, port);
  const { test_key, app_id, admin_key } = readSandbox(data);
  const { keys, indexKey } = JSON.parse(readFileSync(join(data, 'keys.json'), 'utf8')) as { keys: string; indexKey: string };
  const { PATH, HOME } = process.env as Record<'PATH' | 'HOME', string>;
  environment = {
    PATH: `${makePrograms(folder)}:${PATH}`,
    HOME,
    BASE: `http://127.0.0.1:${port}`,
    KEY: test_key,
    APP: app_id,
    ADMIN_KEY: admin_key,
    CONFAM_DATA_DIR: data,
    // Commands of a deployment, beside the service.
    DATABASE_URL: embeddedServer(data).url,
    CONFAM_KEYS: keys,
    CONFAM_INDEX_KEY: indexKey,
  };
}, 90_000);
afterAll(async () => {
  await killConfams();
  rmSync(folder, { recursive: true, force: true });
});

/** What the pages take for granted, in prose or by README. A refusal ends the page. */
const PRELUDE = `
curl() {
  case " $* " in
    # A stream stays open.
    *' -N '*) command curl --silent --show-error --max-time 1 "$@" || [ $? = 28 ] ;;
    *) command curl --silent --show-error --fail-with-body "$@" ;;
  esac
}
idOf() { node -p "JSON.parse(require('fs').readFileSync(0)).entity.id"; }
upload() { printf "$1" | curl "\${AUTH[@]}" -H 'Content-Type: text/csv' --data-binary @- "$URL/batches?checks=nin_basic&start=$2" | idOf; }
submit() { curl "\${AUTH[@]}" -H 'Content-Type: application/json' -H 'Prefer: wait=20' -d "$1" "$URL/jobs" | idOf; }
trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
AUTH=(-H "Authorization: $KEY" -H "AppId: $APP") URL=$BASE/api/v1
`;

/** Runs a page's commands in order; the first that fails ends it. `before` and `after` are commands that the page does not show. */
async function follow(page: string, before = '', after = ''): Promise<string> {
  const script = blocksOf(page)
    .filter(({ language, isMarked }) => language === 'sh' && !isMarked)
    .map(({ code }) => code)
    .join('\n')
    .replaceAll('http://127.0.0.1:8080', environment.BASE!)
    .replaceAll('9099', `${receiver}`);
  const cwd = mkdtempSync(join(folder, 'page-'));
  const picture = canCompare ? [one(), again()] : [await plain('gray'), await plain('gray')];
  mkdirSync(join(cwd, '.data'));
  for (const [i, name] of ['.data/me.jpg', '.data/selfie.jpg'].entries()) writeFileSync(join(cwd, name), picture[i]!);
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', `${PRELUDE}\n${before}\n${script}\n${after}`], {
    cwd,
    env: environment,
    timeout: 60_000,
    maxBuffer: 16_777_216,
  });
  return stdout;
}

describe('the guide', () => {
  test('to a file of customers ends with its results and the rows to correct', async () => {
    const shown = await follow('docs/guides/customer-file.md');
    expect(shown).toContain('"by": "synonym"');
    expect(shown).toMatch(/^completed$/m);
    const lines = shown.split('\r\n').join('\n').split('\n');
    expect(lines.filter((line) => /^100[125],/.test(line)).map((line) => /nin|completed/.exec(line)?.[0])).toHaveLength(3);
    expect(lines.filter((line) => /^100[34],.*(invalid|digits|scientific)/.test(line)).length).toBeGreaterThanOrEqual(2);
  });

  test('to webhooks receives the test and the job', async () => {
    const lines = (await follow('docs/guides/receive-webhooks.md')).trim().split('\n');
    expect(lines.map((line) => line.trim()).sort()).toEqual(['endpoint.test', 'job.completed completed order-7']);
  });

  test('to a person’s request shows what is held and who saw it, and ends with a receipt that is genuine', async () => {
    const shown = await follow('docs/guides/persons-request.md');
    expect(shown).toMatch(/^1 job 0 rows\n(?:\w+ [\w.]+ \w*\n)*key job\.read onboarding\n/m);
    expect(shown).toMatch(/^erasure: done$/m);
    expect(shown).toMatch(/"(?:genuine|valid|signed)":true/);
  });

  test('to a move shows a call to compare with', async () => {
    expect(await follow('docs/guides/moving.md')).toMatch(
      /^\{"status":"success","entity":\{"nin":"70123456789".*"billed_amount":\d+,"cached":\w+,"meta":/,
    );
  });

  test('to production reads what the machines and the operator read', async () => {
    const shown = await follow('docs/guides/production.md');
    expect(shown).toMatch(/^confam_ledger_drift_kobo 0$/m);
    expect(shown).toMatch(/^Demo: active$/m);
  });

  test('to a screening policy finds the invented person and clears them', async () => {
    const shown = await follow('docs/guides/screening-policy.md');
    expect(shown).toContain('"risk_level": "CRITICAL"');
    expect(shown).toContain('"list": "ofac_sdn"');
  });
});

const SCREENED = '{"check":"aml_screening","input":{"name":"Gleb Voronetzky","date_of_birth":"1971-11-02","country":"RU"}}';
const LOOKED_UP = '{"check":"nin_basic","input":{"nin":"70123456789"}}';
/** `before` makes what the page takes for granted; `shows` is in what it prints. */
const pages: [page: string, shows: RegExp, before?: string, after?: string][] = [
  ['docs/aml.md', /"source_id":"9900002".*[0-9a-f]{64} {2}-/s, `JOB=$(submit '${SCREENED}')`],
  ['docs/api.md', /"billed_amount":.*RateLimit: "minute";r=\d+/is, `printf 'nin\\n70123456789\\n' > people.csv`],
  [
    'docs/batches.md',
    /"status":"completed".*nin,?.*"kind":"results"/ms,
    `BATCH=$(upload 'nin\\n70123456789\\n00000000001\\n12\\n' manual) JOB=$(submit '${LOOKED_UP}') TAG='W/"0"'`,
  ],
  ['docs/breaches.md', /Shop/, `printf 'ada@example.com:x\\n' | gzip > dump.csv.gz; printf 'obi@example.com:y\\n' > part2.txt`],
  ['docs/cli.md', /^$/],
  ['docs/deploy.md', /"key":"cf_live_\w+".*"key":"cf_admin_\w+"/s],
  ['docs/email.md', /"email":"ada\.obi@gmial\.com"/],
  ['docs/money.md', /"currency":"NGX".*"object":"price",/s],
  ['docs/operations.md', /"weight":2/],
  ['docs/people.md', /console\/invitation#.*ada@bank\.example.*console\/sign-in#/s],
  [
    'docs/privacy.md',
    /"status":"delet(?:ing|ed)".*"object":"erasure".*"batches"/s,
    `BATCH=$(upload 'nin\\n40000000007\\n' auto) JOB=$(submit '${LOOKED_UP}'); curl "\${AUTH[@]}" "$URL/batches/$BATCH?wait=30" > ended.json`,
  ],
  ['docs/sandbox.md', /"object":"sandbox_portrait".*"risk_level"/s, 'cp .data/me.jpg me.jpg'],
  [
    'docs/uploads.md',
    /("object":"batch".*){2}"proposed|mapping"/s,
    `printf 'Name,National ID\\nAda,70123456789\\n' > staff.csv; cp "$WORKBOOK" staff.xlsx`,
  ],
  [
    'docs/webhooks.md',
    /"secret":"whsec_.*"object":"webhook_replay"/s,
    // Nobody listens there. The page's own endpoint is removed before any event.
    `ENDPOINT=$(curl "\${AUTH[@]}" -H 'Content-Type: application/json' -d '{"url":"http://127.0.0.1:9/"}' "$URL/webhooks/endpoints" | idOf)`,
    `for id in $(curl "\${AUTH[@]}" "$URL/webhooks/endpoints" | grep -o 'whe_[0-9a-f]*'); do curl "\${AUTH[@]}" -X DELETE "$URL/webhooks/endpoints/$id"; done`,
  ],
];

describe('the commands of', () => {
  const hasJq = spawnSync('jq', ['--version']).status === 0;
  beforeAll(async () => {
    environment.WORKBOOK = join(folder, 'staff.xlsx');
    const rows = [
      ['Name', 'National ID'],
      ['Ada', '70123456789'],
    ];
    writeFileSync(environment.WORKBOOK, await workbook({ sheets: [{ name: 'Staff', rows }] }));
  });
  for (const [page, shows, before, after] of pages) {
    const isHere = page !== 'docs/aml.md' || hasJq;
    test.skipIf(!isHere)(`${page}${isHere ? '' : ' (SKIPPED: no jq)'}`, async () => {
      expect(await follow(page, before, after)).toMatch(shows);
    });
  }
  test.skipIf(!canCompare)(`docs/biometrics.md${canCompare ? '' : ' (SKIPPED: no face models or pictures)'}`, async () => {
    expect(await follow('docs/biometrics.md')).toMatch(/"selfie_verification":\{"confidence_value":[\d.]+,"match":true\}/);
  });
});

describe('the receivers of docs/webhooks.md', () => {
  const blocks = (language: string) => blocksOf('docs/webhooks.md').filter((block) => block.language === language);
  const script = (code: string) =>
    execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: packageRoot(), encoding: 'utf8', timeout: 20_000 }).trim();
  const at = Math.floor(Date.now() / 1000);
  const body = '{"type":"job.completed","data":{"id":"job_1"}}';

  test('Standard Webhooks, in JavaScript and Python', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const sign = `import { Webhook as Signer } from 'standardwebhooks';
      const signature = (body) => new Signer('${secret}').sign('evt_1', new Date(${at} * 1000), body);`;
    const post = `const send = async (sent) => (await fetch('http://127.0.0.1:${receiver}', { method: 'POST', body: sent, headers: {
      'webhook-id': 'evt_1', 'webhook-timestamp': '${at}', 'webhook-signature': signature('${body}') } })).status;
      console.log(await send('${body}'), await send('${body} '));
      process.exit();`;
    const [receive] = blocks('js') as [Block, ...Block[]];
    const code = `process.env.CONFAM_WEBHOOK_SECRET = '${secret}';\n${receive.code.replace('3000', `${receiver}`)}\n${sign}\n${post}`;
    expect(script(hoisted(code))).toBe('job.completed job_1\n204 400');
    const python = spawnSync('python3', ['--version']).status === 0;
    if (!python) return console.log('SKIPPED: no python3 for the receiver in Python');
    const signature = script(`${sign}\nconsole.log(signature('${body}'))`);
    const call = (sent: string) =>
      `verify("${secret}", {"webhook-id": "evt_1", "webhook-timestamp": "${at}", "webhook-signature": "${signature}"}, b'${sent}')`;
    const [{ code: verify }] = blocks('python') as [Block];
    const said = execFileSync('python3', ['-c', `${verify}\nprint(${call(body)}, ${call(`${body} `)})`], { encoding: 'utf8' });
    expect(said.trim()).toBe('True False');
  });

  test('a public key, and results in the message', () => {
    const [, isGenuine, results] = blocks('js') as [Block, Block, Block];
    const code = `${isGenuine.code}\n${results.code}
      import { generateKeyPairSync, sign } from 'node:crypto';
      import { CompactEncrypt, importJWK } from 'jose';
      const pair = generateKeyPairSync('ed25519');
      const whpk = 'whpk_' + Buffer.from(pair.publicKey.export({ format: 'jwk' }).x, 'base64url').toString('base64');
      const body = Buffer.from('${body}');
      const signature = 'v1a,' + sign(null, Buffer.concat([Buffer.from('evt_1.${at}.'), body]), pair.privateKey).toString('base64');
      const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': '${at}', 'webhook-signature': signature };
      console.log(isGenuine(whpk, headers, body), isGenuine(whpk, headers, Buffer.from('{}')));
      const encrypted = await new CompactEncrypt(new TextEncoder().encode('{"found":true}'))
        .setProtectedHeader({ alg: 'ECDH-ES+A256KW', enc: 'A256GCM', kid: encryptionKey.kid })
        .encrypt(await importJWK(encryptionKey, 'ECDH-ES+A256KW'));
      console.log(JSON.stringify(await resultsOf({ data: { encrypted } })));`;
    expect(script(hoisted(code))).toBe('true false\n{"found":true}');
  });
});

/** Samples that are joined may import the same name; modules allow it once. */
function hoisted(code: string): string {
  const imports = [...new Set(code.match(/^ *import .*;$/gm)?.map((line) => line.trim()))];
  return `${imports.join('\n')}\n${code.replace(/^ *import .*;$/gm, '')}`;
}

test('every block of code is run by a test, or says why not', () => {
  const all = execFileSync('git', ['ls-files', '*.md'], { cwd: packageRoot(), encoding: 'utf8' }).trim().split('\n');
  const elsewhere = ['docs/checks.md', 'docs/clients.md', 'README.md'];
  const here = [
    ...pages.map(([page]) => page),
    'docs/biometrics.md',
    ...['customer-file', 'receive-webhooks', 'screening-policy', 'persons-request', 'production', 'moving'].map(
      (name) => `docs/guides/${name}.md`,
    ),
  ];
  const loose = all
    .filter((page) => !page.startsWith('docs/decisions/') && !elsewhere.includes(page))
    .flatMap((page) => blocksOf(page).map((block) => ({ page, ...block })))
    .filter(({ language, isMarked }) => !isMarked && ['sh', 'bash', 'js', 'ts', 'tsx', 'python'].includes(language))
    .filter(({ page, language }) => !(language === 'sh' && here.includes(page)) && page !== 'docs/webhooks.md');
  expect(loose).toEqual([]);
});
