/** Says in a sentence what has kept a command from its work, if the operator can do something about it. */
import { EmbeddedPostgresError } from '../embedded/error.ts';
import { ConfigError } from '../foundation/config.ts';
import { KeyFault } from '../foundation/crypto.ts';
import { fileTrouble } from '../foundation/file-trouble.ts';
import { databaseTrouble } from './database-trouble.ts';

/** Null for an error that is nobody's but ours: its stack says more than its message. */
export function troubleOf(error: unknown): string | null {
  if (error instanceof ConfigError || error instanceof EmbeddedPostgresError || error instanceof KeyFault) return error.message;
  return databaseTrouble(error) ?? fileTrouble(error);
}
