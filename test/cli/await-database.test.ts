/** A process that starts waits for a database that is away for a moment, and for nothing else. */
import { expect, test, vi } from 'vitest';
import { awaitDatabase } from '../../src/cli/await-database.ts';
import { databaseTrouble } from '../../src/cli/database-trouble.ts';

const fault = (code: string) => Object.assign(new Error('fault'), { code, severity: 'FATAL' });

/** Fails with each error in turn, then succeeds. Returns how often it was asked. */
async function ask(...errors: Error[]): Promise<number> {
  let asked = 0;
  await awaitDatabase(async () => {
    const error = errors[asked++];
    if (error) throw error;
  });
  return asked;
}

test('waits while the database starts, ends or cannot be reached, and says so once', async () => {
  vi.stubEnv('DATABASE_URL', 'postgres://localhost/confam');
  const said = vi.spyOn(console, 'error').mockReturnValue();
  expect(await ask()).toBe(1);
  expect(said).not.toHaveBeenCalled();
  expect(await ask(fault('57P03'), fault('CONNECTION_CLOSED'), fault('ECONNREFUSED'))).toBe(4);
  expect(said.mock.calls).toEqual([['DATABASE_URL: the database is not available (57P03); waiting up to 10 s']]);
  said.mockRestore();
  vi.unstubAllEnvs();
});

test.each(['DATABASE_URL', 'DATABASE_URL_FILE', 'DATABASE_URL_COMMAND'])('names the setting if %s gives the address', (name) => {
  expect(databaseTrouble(fault('ECONNREFUSED'), { [name]: 'somewhere' })).toBe(
    'DATABASE_URL: the database cannot be reached (ECONNREFUSED)',
  );
});

test('does not name a setting for the embedded database', () => {
  expect(databaseTrouble(fault('ECONNREFUSED'), {})).toBe('the embedded database cannot be reached (ECONNREFUSED)');
  expect(databaseTrouble(fault('57P03'), {})).toBe('the embedded database is not available (57P03)');
  const denied = Object.assign(new Error('permission denied for schema drizzle'), { code: '42501' });
  for (const error of [denied, new Error('Failed query', { cause: denied })])
    expect(databaseTrouble(error, { DATABASE_URL: 'somewhere' })).toMatch(
      /^DATABASE_URL: the database's user has no rights here \(permission denied for schema drizzle\): run `confam migrate` with .*DATABASE_OWNER_URL, or .* grant confam_service, /,
    );
});

test('says what to do where connections have run out, or a pooler refuses ours', async () => {
  const environment = { DATABASE_URL: 'somewhere' };
  expect(databaseTrouble(fault('53300'), environment)).toBe(
    'DATABASE_URL: the database has no connection left for us (53300): raise max_connections, or start fewer parts',
  );
  const refusal = Object.assign(fault('08P01'), { message: 'unsupported startup parameter: search_path' });
  expect(databaseTrouble(refusal, environment)).toBe(
    "DATABASE_URL: the database is behind a pooler, which refuses the settings of our connections: give Postgres's own address",
  );
  await expect(ask(refusal)).rejects.toBe(refusal);
});

test.each(['28P01', '28000', '3D000'])('does not wait where the database rejects it (%s)', async (code) => {
  await expect(ask(fault(code))).rejects.toMatchObject({ code });
});

test('does not wait for an error of another kind', async () => {
  await expect(ask(new Error('a bug'))).rejects.toThrow('a bug');
});
