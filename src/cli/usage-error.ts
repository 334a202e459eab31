import { ConfigError } from '../foundation/config.ts';

/** A flag or an argument of an operator's command that the command does not take. The message names it; the command exits with 2. */
export class UsageError extends ConfigError {}
