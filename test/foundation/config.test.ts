/** Settings, and those that come from files. */
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { afterAll, describe, expect, it, test } from 'vitest';
import { CLIENT_VARIABLES } from '../../src/cli/terminal/profiles.ts';
import { checkConfiguration } from '../../src/doctor/machine.ts';
import { likelySetting, warnOfMistyped } from '../../src/doctor/mistyped-settings.ts';
import { FROM_FILES, readConfig } from '../../src/foundation/config.ts';
import { readKeys } from '../../src/foundation/context.ts';
import { fileTrouble } from '../../src/foundation/file-trouble.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { configureProviders } from '../../src/providers/configure.ts';

const folder = mkdtempSync(join(tmpdir(), 'confam-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const SECRET = '9f2c71d05be84a36c8e1f7a2405d93bb';

describe('a variable that is not a setting', () => {
  test.each([
    ['CONFAM_UPLOAD_ROW_MAX', 'CONFAM_UPLOAD_ROWS_MAX'],
    ['CONFAM_CHUNKMAX', 'CONFAM_CHUNK_MAX'],
    ['CONFAM_ADMIN_KEY_FIEL', 'CONFAM_ADMIN_KEY_FILE'],
  ])('%s was meant to be %s', (name, setting) => {
    expect(likelySetting(name)).toBe(setting);
    expect(checkConfiguration({ [name]: '5' }).finding).toMatchObject({
      state: 'note',
      says: `every variable has its default; not variables of Confam: ${name} (did you mean ${setting}?)`,
    });
  });

  test.each([
    ...CLIENT_VARIABLES,
    ...[
      'CONFAM_PORT',
      'CONFAM_SERVICE_HOST',
      'CONFAM_SERVICE_PORT',
      'CONFAM_PORT_8080_TCP_ADDR',
      'CONFAM_TEST_FACES_EVERY',
      'CONFAM_DOJAH_KEY',
      'HOSTS',
    ],
  ])('%s belongs to somebody else', (name) => {
    expect(likelySetting(name)).toBeNull();
  });

  test('is warned about at the start, unless a vendor reads it', () => {
    const path = file('vendors.json', JSON.stringify({ credentials: { key: { env: 'CONFAM_HIBP_KEYS' } } }));
    const config = { ...readConfig({}), CONFAM_UPSTREAMS: path };
    const warnings: string[] = [];
    const log = { warn: (line: string) => warnings.push(line) } as unknown as Logger;
    warnOfMistyped(log, config, { CONFAM_UPLOAD_ROW_MAX: '5', CONFAM_HIBP_KEYS: 'x', CONFAM_HIBP_KEYS_FILE: 'x', CONFAM_POOLS: 'nin=1' });
    expect(warnings).toEqual(['CONFAM_UPLOAD_ROW_MAX is not a setting; did you mean CONFAM_UPLOAD_ROWS_MAX?']);
  });
});

test.each([
  [{ CONFAM_EMAIL_LISTS: join(folder, 'none') }, 'CONFAM_EMAIL_LISTS: the folder cannot be read (ENOENT)'],
  [{ CONFAM_BREACHED_PASSWORDS: folder }, `CONFAM_BREACHED_PASSWORDS: ${folder} is not a file`],
  [{ CONFAM_ERASURE_JOURNAL: folder }, `CONFAM_ERASURE_JOURNAL: ${folder} is not a file`],
  [{ CONFAM_ERASURE_JOURNAL: join(folder, 'none', 'erasures.jsonl') }, 'CONFAM_ERASURE_JOURNAL: the file cannot be written (ENOENT)'],
  [
    { CONFAM_ERASURE_JOURNAL: join(file('not-a-folder', ''), 'erasures.jsonl') },
    'CONFAM_ERASURE_JOURNAL: the file cannot be written (ENOTDIR)',
  ],
])('the doctor finds a path that leads nowhere: %j', (settings, message) => {
  expect(checkConfiguration(settings)).toMatchObject({ config: null, finding: { state: 'broken', says: message } });
});

test('a journal of erasures is accepted before its first line and afterwards', () => {
  const CONFAM_ERASURE_JOURNAL = join(folder, 'erasures.jsonl');
  const accepted = { config: { CONFAM_ERASURE_JOURNAL }, finding: { state: 'ok' } };
  expect(checkConfiguration({ CONFAM_ERASURE_JOURNAL })).toMatchObject(accepted);
  file('erasures.jsonl', '{}\n');
  expect(checkConfiguration({ CONFAM_ERASURE_JOURNAL })).toMatchObject(accepted);
});

test('a file is refused as the data folder, and so is a folder below a file; one that does not exist yet is not', () => {
  const path = file('data', 'not a folder');
  for (const CONFAM_DATA_DIR of [path, join(path, 'below')])
    expect(() => readConfig({ CONFAM_DATA_DIR })).toThrow(`CONFAM_DATA_DIR: ${CONFAM_DATA_DIR} is not a folder`);
  const CONFAM_DATA_DIR = join(folder, 'later');
  expect(readConfig({ CONFAM_DATA_DIR })).toMatchObject({ CONFAM_DATA_DIR });
  const link = join(folder, 'link');
  symlinkSync(CONFAM_DATA_DIR, link);
  expect(() => readConfig({ CONFAM_DATA_DIR: link }), 'a link that leads nowhere').toThrow(`CONFAM_DATA_DIR: ${link} is not a folder`);
});

test.each([
  ['is missing', () => join(folder, 'none.json'), `CONFAM_UPSTREAMS: ${join(folder, 'none.json')} cannot be read (ENOENT)`],
  ['is a folder', () => folder, `CONFAM_UPSTREAMS: ${folder} cannot be read (EISDIR)`],
  ['is not JSON', () => file('broken.json', '{'), 'broken.json is not JSON'],
])('a file of vendors that %s is refused', (_, path, message) => {
  expect(() => configureProviders(readConfig({ CONFAM_UPSTREAMS: path() }))).toThrow(message);
});

test.each([
  [{ CONFAM_TLS_CERT: 'live.pem' }, 'CONFAM_TLS_CERT and CONFAM_TLS_KEY: one needs the other'],
  [{ CONFAM_TLS_KEY: 'live.key' }, 'CONFAM_TLS_CERT and CONFAM_TLS_KEY: one needs the other'],
  [{ CONFAM_TLS_CERT: 'live.pem', CONFAM_TLS_KEY: 'live.key' }, 'CONFAM_TLS_CERT: needs a CONFAM_PUBLIC_URL that begins with https:'],
])('a certificate needs its key and the address that clients use: %j', (settings, message) => {
  expect(() => readConfig(settings)).toThrow(message);
  const whole = { CONFAM_TLS_CERT: 'live.pem', CONFAM_TLS_KEY: 'live.key', CONFAM_PUBLIC_URL: 'https://verify.example.com' };
  expect(readConfig(whole)).toMatchObject(whole);
});

test.each([
  [{ PORT: 'abc' }, 'PORT: must be a number'],
  [{ PORT: '99999' }, 'PORT: must be at most 65535'],
  [{ CONFAM_CHUNK_MAX: '-1' }, 'CONFAM_CHUNK_MAX: must be at least 1'],
  [{ CONFAM_MCP: 'yes' }, 'CONFAM_MCP: must be one of true, false'],
  [{ CONFAM_PUBLIC_URL: 'bank.example' }, 'CONFAM_PUBLIC_URL: must be a URL that begins with https:// or http://'],
  [{ CONFAM_PUBLIC_URL: 'localhost:8080' }, 'CONFAM_PUBLIC_URL: must be a URL that begins with https:// or http://'],
  [{ DATABASE_URL: 'localhost:5432/confam' }, 'DATABASE_URL: must be a URL that begins with postgres:// or postgresql://'],
  [{ DATABASE_URL: 'mysql://127.0.0.1/confam' }, 'DATABASE_URL: must be a URL that begins with postgres:// or postgresql://'],
  [{ DATABASE_OWNER_URL: 'localhost:5432/confam' }, 'DATABASE_OWNER_URL: must be a URL that begins with postgres:// or postgresql://'],
  [{ REDIS_URL: 'localhost:6379' }, 'REDIS_URL: must be a URL that begins with redis:// or rediss://'],
  [{ REDIS_URL: 'http://127.0.0.1:6379' }, 'REDIS_URL: must be a URL that begins with redis:// or rediss://'],
  [{ CONFAM_TRANSIT_URL: 'vault:8200/v1/transit' }, 'CONFAM_TRANSIT_URL: must be a URL that begins with https:// or http://'],
])('a wrong value is refused with the rule, in our own words: %j', (settings, message) => {
  expect(() => readConfig(settings)).toThrow(new Error(message));
});

test('pools are named by the families that exist', () => {
  expect(readConfig({ CONFAM_POOLS: 'nin=4, bvn=2' }).CONFAM_POOLS).toEqual(new Map(Object.entries({ nin: 4, bvn: 2 })));
  expect(() => readConfig({ CONFAM_POOLS: 'nin=4,zzz=4' })).toThrow(
    'CONFAM_POOLS: there is no family zzz; the families are nin, bvn, cac, tin, credit, document, face, aml, email',
  );
});

describe('a setting from a file', () => {
  it.each(FROM_FILES)('%s', (setting) => {
    const scheme = setting === 'REDIS_URL' ? 'redis' : 'postgres';
    const value = setting.endsWith('_URL') ? `${scheme}://confam@127.0.0.1/confam` : SECRET;
    expect(readConfig({ [`${setting}_FILE`]: file(setting, `${value}\n`) })[setting]).toBe(value);
  });

  it('is checked like any other, without showing what is in the file', () => {
    const CONFAM_ADMIN_KEY_FILE = file('short', 'guessable');
    expect(() => readConfig({ CONFAM_ADMIN_KEY_FILE })).toThrow(/^CONFAM_ADMIN_KEY: must be at least 32 random characters/);
    expect(() => readConfig({ CONFAM_ADMIN_KEY_FILE })).not.toThrow(/guessable/);
  });

  it.each([
    ['is missing', () => join(folder, 'none'), 'the file cannot be read (ENOENT)'],
    ['is a folder', () => folder, 'the file cannot be read (EISDIR)'],
    ['is empty', () => file('empty', '\n'), 'the file is empty'],
  ])('is refused if the file %s', (_, path, reason) => {
    expect(() => readConfig({ CONFAM_KEYS_FILE: path() })).toThrow(`CONFAM_KEYS_FILE: ${reason}`);
  });

  it('is refused beside the variable itself', () => {
    const both = { CONFAM_METRICS_TOKEN: SECRET, CONFAM_METRICS_TOKEN_FILE: file('token', SECRET) };
    expect(() => readConfig(both)).toThrow('CONFAM_METRICS_TOKEN_FILE: CONFAM_METRICS_TOKEN is set too; set one of them');
  });

  it('may be printed by a command, of which errors show neither output nor complaint', () => {
    expect(readConfig({ CONFAM_KEYS_COMMAND: `cat ${file('printed', `${SECRET}\n`)}` }).CONFAM_KEYS).toBe(SECRET);
    const refused = (CONFAM_KEYS_COMMAND: string) => () => readConfig({ CONFAM_KEYS_COMMAND });
    expect(refused(`echo ${SECRET}; echo ${SECRET} >&2; exit 3`)).toThrow(/^CONFAM_KEYS_COMMAND: the command failed \(exit 3\)$/);
    expect(refused('true')).toThrow(/^CONFAM_KEYS_COMMAND: the command printed nothing$/);
    expect(() => readConfig({ CONFAM_KEYS: SECRET, CONFAM_KEYS_COMMAND: 'true' })).toThrow(
      'CONFAM_KEYS_COMMAND: CONFAM_KEYS is set too; set one of them',
    );
  });

  it("may be a vendor's credential", () => {
    const CONFAM_UPSTREAMS = file(
      'upstreams.json',
      JSON.stringify({
        providers: {
          partner: { adapter: 'native', base_url: 'http://127.0.0.1:1', credentials: { key: { env: 'KEY' }, app_id: { env: 'APP' } } },
        },
        records: { nin: ['partner'] },
      }),
    );
    const open = (APP_FILE: string) => configureProviders(readConfig({ CONFAM_UPSTREAMS }), { KEY: SECRET, APP_FILE });
    expect(open(file('app', 'app_1\n')).live.map(({ name }) => name)).toEqual(['partner']);
    expect(() => open(join(folder, 'none'))).toThrow('providers.partner.credentials.app_id: APP_FILE: the file cannot be read (ENOENT)');
  });

  it('is known to the doctor', () => {
    const { finding } = checkConfiguration({ CONFAM_KEYS_FILE: file('keys', '1:abc') });
    expect(finding.says).toBe('set: CONFAM_KEYS_FILE');
  });

  it('is named in docs/configuration.md', () => {
    const [page] = readFileSync(join(packageRoot(), 'docs/configuration.md'), 'utf8').split('\n## ');
    for (const setting of FROM_FILES) expect(page).toContain(`\`${setting}\``);
  });
});

describe('CONFAM_REQUIRE_TLS', () => {
  const POSTGRES = 'postgres://confam:secret-of-ours@db.example.com/confam';
  const SAFE = { DATABASE_URL: `${POSTGRES}?sslmode=verify-full`, REDIS_URL: 'rediss://:secret-of-ours@queue.example.com' };
  const read = (change: Record<string, string>, required = 'true') => readConfig({ ...SAFE, ...change, CONFAM_REQUIRE_TLS: required });

  it('accepts encrypted and verified connections, and the embedded Postgres', () => {
    expect(read({})).toMatchObject(SAFE);
    expect(readConfig({ CONFAM_REQUIRE_TLS: 'true' }).embedded).toBe(true);
  });

  it.each([
    ['DATABASE_URL', POSTGRES],
    ['DATABASE_URL', `${POSTGRES}?sslmode=require`],
    ['DATABASE_URL', `${POSTGRES}?sslmode=prefer`],
    ['DATABASE_OWNER_URL', POSTGRES],
    ['REDIS_URL', 'redis://:secret-of-ours@queue.example.com'],
  ])('refuses any other: %s %s', (name, address) => {
    expect(() => read({ [name]: address })).toThrow(new RegExp(`^${name}: CONFAM_REQUIRE_TLS needs `));
    expect(() => read({ [name]: address })).not.toThrow(/secret-of-ours/);
    expect(read({ [name]: address }, 'false')).toMatchObject({ [name]: address });
  });
});

describe('trusted proxies', () => {
  it('are addresses and networks', () => {
    const { CONFAM_TRUSTED_PROXIES } = readConfig({ CONFAM_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7,2001:db8::/32' });
    expect(CONFAM_TRUSTED_PROXIES.map(([address, bits]) => `${address}/${bits}`)).toEqual(['10.0.0.0/8', '192.0.2.7/32', '2001:db8::/32']);
  });

  it.each(['10', '1.2.3', '0x7f.1', '010.0.0.1', '10/8', '010.0.0.0/8'])('are written in full, not as %s', (range) => {
    expect(() => readConfig({ CONFAM_TRUSTED_PROXIES: range })).toThrow(/^CONFAM_TRUSTED_PROXIES: expected IP addresses/);
  });
});

test('a file that may not be used is said in a sentence, which names it and no owner', () => {
  const fault = (code: string, path?: string) => Object.assign(new Error(`${code}: why`), { code, path });
  for (const code of ['EACCES', 'EPERM'])
    expect(fileTrouble(fault(code, '/data/keys.json'))).toMatch(/^No permission for \/data\/keys.json \(.*\)\. /);
  for (const code of ['EROFS', 'ENOSPC', 'EDQUOT'])
    expect(fileTrouble(fault(code), '/data')).toBe(`/data cannot be written: ${code}: why.`);
  for (const error of [fault('ENOENT', '/data'), fault('EACCES'), new TypeError('a bug')]) expect(fileTrouble(error)).toBeNull();
});

test.each(['CONFAM_KEYS', 'CONFAM_INDEX_KEY'])('with embedded Postgres, %s alone is refused instead of ignored', (name) => {
  const config = readConfig({ CONFAM_DATA_DIR: folder, [name]: 'x' });
  expect(() => readKeys(config)).toThrow(/^CONFAM_KEYS and CONFAM_INDEX_KEY belong together: CONFAM_\w+ is missing/);
  expect(existsSync(join(folder, 'keys.json'))).toBe(false);
});
