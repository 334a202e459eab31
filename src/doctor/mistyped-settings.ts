/** Finds variables that were probably meant to be a setting and were mistyped. Variables of other programs, and those that Kubernetes sets, are left alone. */
import { readFileSync } from 'node:fs';
import { distance } from 'fastest-levenshtein';
import { type Config, isSetting, settingNames } from '../foundation/config.ts';
import type { Context } from '../foundation/context.ts';

const PREFIX = 'CONFAM_';
/** One wrong letter in this many counts as a slip. */
const LETTERS_PER_SLIP = 4;
/** Short names resemble each other: `CONFAM_KEY` is a client's variable, `CONFAM_KEYS` the service's. */
const LETTERS_MIN = 5;

/** The setting that was meant, or null. */
export function likelySetting(name: string): string | null {
  if (!name.startsWith(PREFIX) || isSetting(name)) return null;
  const slips = (setting: string) => distance(name, setting);
  const [closest] = settingNames().toSorted((a, b) => slips(a) - slips(b));
  const letters = Math.max(name.length, closest!.length) - PREFIX.length;
  return letters >= LETTERS_MIN && slips(closest!) * LETTERS_PER_SLIP <= letters ? closest! : null;
}

export function warnOfMistyped(log: Context['log'], config: Config, environment: Record<string, string | undefined> = process.env): void {
  // Credentials of vendors come from variables that the file of vendors names.
  const vendors = config.CONFAM_UPSTREAMS ? readFileSync(config.CONFAM_UPSTREAMS, 'utf8') : '';
  for (const name of Object.keys(environment).sort()) {
    const setting = likelySetting(name);
    if (setting !== null && !vendors.includes(`"${name.replace(/_(FILE|COMMAND)$/, '')}"`))
      log.warn(`${name} is not a setting; did you mean ${setting}?`);
  }
}
