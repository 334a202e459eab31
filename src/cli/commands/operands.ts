/** Parses ids in the arguments of commands, so that a malformed id is refused before the service is loaded. */
import { parseId } from '../../foundation/ids.ts';
import { UsageError } from '../usage-error.ts';

/** The UUID of an app's id. */
export function appId(text: string | undefined): string {
  const id = parseId('app', text ?? '');
  if (!id) throw new UsageError('expected an app id (app_…)');
  return id;
}

/** The UUID of an admin key's id. */
export function adminKeyId(text: string | undefined): string {
  const id = parseId('key', text ?? '');
  if (!id) throw new UsageError('expected the id of an admin key (key_…)');
  return id;
}
