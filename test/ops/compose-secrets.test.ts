/** The secrets of the compose file: accepted by the settings, kept on a second run, taken over from an earlier release. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/foundation/config.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { openDirectly } from '../setup/keys.ts';

const home = mkdtempSync(join(tmpdir(), 'confam-secrets-'));
afterAll(() => rmSync(home, { recursive: true }));

function make(name: string, environment: Record<string, string> = {}) {
  const folder = join(home, name);
  execFileSync(join(packageRoot(), 'ops/compose-secrets.sh'), [folder], {
    cwd: home,
    env: { PATH: process.env.PATH, ...environment },
    stdio: 'pipe',
  });
  return { folder, read: (file: string) => readFileSync(join(folder, file), 'utf8').trim() };
}

const compose = readFileSync(join(packageRoot(), 'docker-compose.yml'), 'utf8');

describe('ops/compose-secrets.sh', () => {
  it('makes every secret of docker-compose.yml, in a folder that only its owner can open', () => {
    const { folder } = make('all');
    const mounted = [...compose.matchAll(/file: \.\/secrets\/([\w.]+)/g)].map((match) => match[1]);
    expect(readdirSync(folder).sort()).toEqual(mounted.sort());
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('makes what the settings accept', () => {
    const { folder, read } = make('accepted');
    const named = [...compose.matchAll(/(\w+_FILE): \/run\/secrets\/([\w.]+)/g)].filter(
      ([, variable]) => variable !== 'POSTGRES_PASSWORD_FILE',
    );
    expect(named).toHaveLength(6);
    const config = readConfig(Object.fromEntries(named.map(([, variable, file]) => [variable, join(folder, file!)])));
    const cipher = openDirectly(config.CONFAM_KEYS!, config.CONFAM_INDEX_KEY!);
    expect(cipher.open(cipher.seal('text', 'input', 'a'), 'input', 'a')).toBe('text');
    expect(new URL(config.DATABASE_OWNER_URL!).password).toBe(read('postgres_password'));
    // Its user owns nothing; `migrate` creates it.
    expect(new URL(config.DATABASE_URL!)).toMatchObject({ username: 'confam_app', host: new URL(config.DATABASE_OWNER_URL!).host });
    expect(`requirepass ${new URL(config.REDIS_URL!).password}`).toBe(read('valkey.conf'));
  });

  it('keeps what is there, and draws new secrets elsewhere', () => {
    const first = make('kept').read('confam_keys');
    expect(make('kept').read('confam_keys')).toBe(first);
    expect(make('other').read('confam_keys')).not.toBe(first);
  });

  it('takes over the secrets of an earlier release', () => {
    const { read } = make('upgraded', { POSTGRES_PASSWORD: 'old', CONFAM_KEYS: '1:abc', CONFAM_INDEX_KEY: 'def' });
    expect([read('database_owner_url'), read('confam_keys'), read('confam_index_key')]).toEqual([
      'postgres://confam:old@postgres:5432/confam',
      '1:abc',
      'def',
    ]);
    writeFileSync(join(home, '.env'), 'CONFAM_KEYS=1:abc\n');
    expect(() => make('forgotten')).toThrow(/so that your data stays readable/);
    expect(existsSync(join(home, 'forgotten'))).toBe(false);
  });
});
