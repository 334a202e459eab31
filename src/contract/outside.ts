/** What an app lets go outside: addresses that are disclosed to others, and answers that apps of the deployment share. */
import { z } from 'zod';
import type { AppSettings, SettingsPatch } from '../schema/apps.ts';

/** Members of the app's settings. */
export const outside = z.object({
  email_breaches: z.boolean().describe('Have I Been Pwned may be told addresses, if the operator has a key for it'),
  email_mailboxes: z.boolean().describe('Mail hosts may be asked whether they know an address, if the operator has set that up'),
  shared_cache: z.boolean().describe('Cached answers are shared with other apps of the deployment, if the operator offers that'),
});

type EmailSettings = Pick<AppSettings, 'emailBreaches' | 'emailMailboxes'>;
type CacheSettings = Pick<AppSettings, 'cacheScope' | 'shareCache'>;

/** The parties to whom an address that the app has checked may be disclosed. `isAllowed`: the default for apps that have not decided. */
export const outsideOf = ({ emailBreaches, emailMailboxes }: EmailSettings, isAllowed: boolean) => ({
  breaches: emailBreaches ?? isAllowed,
  mailboxes: emailMailboxes ?? isAllowed,
});

/** The operator offers the shared cache; the app, or the operator for it, must say yes. */
export const cacheScopeOf = ({ cacheScope, shareCache }: CacheSettings): 'app' | 'deployment' =>
  cacheScope === 'deployment' && shareCache === true ? 'deployment' : 'app';

export function showOutside(settings: EmailSettings & CacheSettings, isAllowed: boolean): z.infer<typeof outside> {
  const { breaches, mailboxes } = outsideOf(settings, isAllowed);
  return { email_breaches: breaches, email_mailboxes: mailboxes, shared_cache: cacheScopeOf(settings) === 'deployment' };
}

/** The settings that a patch changes. */
export const outsideSettings = ({ email_breaches, email_mailboxes, shared_cache }: Partial<z.infer<typeof outside>>): SettingsPatch => ({
  ...(email_breaches !== undefined && { emailBreaches: email_breaches }),
  ...(email_mailboxes !== undefined && { emailMailboxes: email_mailboxes }),
  ...(shared_cache !== undefined && { shareCache: shared_cache }),
});
