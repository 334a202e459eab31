/**
 * JSON logs on standard output. A line holds ids, counts and timings, never an input, an entity or a URL's query: callers pass only
 * those, and an error is logged by its name, code and stack, since messages of drivers can quote values.
 */
import { pino } from 'pino';

export type Log = pino.Logger;

export function openLog(level: string): Log {
  return pino({ level, base: null, serializers: { err: describeError } });
}

/** An error without its message where that could quote data: Postgres errors keep code, table and constraint only. */
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
