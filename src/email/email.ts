/**
 * Email risk in this process: the lists and two engines. The first question of each mode loads its engine and modules, so a process that is never asked loads
 * neither.
 */
import type { EmailEngine } from '../engines/email/email.ts';
import { once } from '../foundation/once.ts';
import type { EmailsContext } from './live.ts';
import { openResolverWatch } from './resolvers.ts';

export interface Emails {
  engine(live: boolean): Promise<EmailEngine>;
  /** Whether any of the live name servers answers at all. */
  isDnsAnswering(): Promise<boolean>;
  close(): Promise<void>;
}

export function openEmails(ctx: EmailsContext): Emails {
  const lists = once(async () => {
    const { openLists } = await import('../engines/email/lists.ts');
    return openLists({
      listsFolder: ctx.config.CONFAM_EMAIL_LISTS,
      onRead(list, outcome) {
        if (outcome instanceof Error) ctx.log.error({ list, err: outcome }, 'a list of mail domains was not read; the previous one stays');
        else ctx.log.info({ list, entries: outcome }, 'list of mail domains read');
      },
    });
  });
  const live = once(async () => (await import('./live.ts')).openLiveEngine(ctx, await lists()));
  const test = once(async () => (await import('../sandbox/internet/engine.ts')).openEmailSandbox(await lists()));
  return {
    engine: (isLive) => (isLive ? live() : test()),
    isDnsAnswering: openResolverWatch(ctx.config.CONFAM_DNS_SERVERS),
    async close() {
      const opened = await Promise.all([live.made(), test.made()]);
      await Promise.all(opened.map((engine) => engine?.close()));
    },
  };
}
