/**
 * Logs on standard output: JSON, or readable lines in a terminal. A line holds ids, counts and timings, never an input, an entity or a URL's query: callers
 * pass only those. An error is logged by name, code and stack, since drivers' messages can quote values.
 */
import { pino } from 'pino';
import { build } from 'pino-pretty';

export type Log = pino.Logger;

/** `level` unset: `info`, and `warn` in a terminal, so that the output of `confam start` stays in sight. */
export function openLog(level: string | undefined, isTerminal: boolean = process.stdout.isTTY): Log {
  const options = { base: null, serializers: { err: describeError } };
  if (!isTerminal) return pino({ ...options, level: level ?? 'info' });
  return pino({ ...options, level: level ?? 'warn' }, build({ translateTime: 'SYS:HH:MM:ss', sync: true }));
}

/** An error without its message if that could quote data: Postgres errors keep code, table and constraint only. */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, code, table_name, constraint_name, severity } = error as Error & Record<string, unknown>;
  const fromDatabase = severity !== undefined || name === 'PostgresError';
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    type: name,
    ...(code === undefined ? {} : { code }),
    ...(fromDatabase ? { table: table_name, constraint: constraint_name } : { message: error.message.slice(0, 200) }),
    stack: frames.slice(0, 12).map((line) => line.trim()),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
