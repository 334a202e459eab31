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

test('names the address of the owner where that is wrong', () => {
  const environment = { DATABASE_URL: 'somewhere', DATABASE_OWNER_URL: 'somewhere' };
  const ofOwner = Object.assign(fault('28P01'), { setting: 'DATABASE_OWNER_URL' });
  expect(databaseTrouble(ofOwner, environment)).toBe('DATABASE_OWNER_URL: the database rejects the user or the password (28P01)');
  expect(databaseTrouble(fault('28P01'), environment)).toBe('DATABASE_URL: the database rejects the user or the password (28P01)');
  expect(databaseTrouble(fault('3D000'), environment)).toBe(
    'DATABASE_URL: the database is not there: its server has none of that name (3D000); create it, or correct the address',
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

test('says what to do where the user may not connect', () => {
  const denied = Object.assign(fault('42501'), { message: 'permission denied for database "confam"' });
  expect(databaseTrouble(denied, { DATABASE_URL: 'somewhere' })).toBe(
    'DATABASE_URL: the database does not let its user in (permission denied for database "confam"): as its owner run: grant connect, temporary on database <its name> to <the user of DATABASE_URL>',
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

test('says what to do where the database can only be read, or its disk is full', () => {
  const readOnly = Object.assign(new Error('cannot execute INSERT in a read-only transaction'), { code: '25006' });
  for (const error of [readOnly, new Error('Failed query', { cause: readOnly })])
    expect(databaseTrouble(error, { DATABASE_URL: 'somewhere' })).toBe(
      'DATABASE_URL: the database can only be read, as a standby can (25006): give the address of the one that can be written',
    );
  const full = 'the embedded database has no room left on its disk';
  expect(databaseTrouble(fault('53100'), {})).toBe(`${full} (53100): make room`);
  const unexpected = Object.assign(fault('XX000'), { message: 'could not write to file "pg_wal/xlogtemp.29": No space left on device' });
  expect(databaseTrouble(unexpected, {})).toBe(`${full} (XX000): make room`);
});

test.each(['28P01', '28000', '3D000', '42501'])('does not wait where the database rejects it (%s)', async (code) => {
  await expect(ask(fault(code))).rejects.toMatchObject({ code });
});

test('does not wait for an error of another kind', async () => {
  await expect(ask(new Error('a bug'))).rejects.toThrow('a bug');
});
