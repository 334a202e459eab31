/** Pending questions: two about the same document are kept apart if they state different details of its holder. */
import { expect, test } from 'vitest';
import { ProviderPending } from '../../src/checks/provider.ts';
import { newId } from '../../src/foundation/ids.ts';
import type { GuardedProvider } from '../../src/providers/guarded-provider.ts';
import { type PostponableQuestion, postpone, takeUp } from '../../src/providers/postponing.ts';
import { useDatabase } from '../setup/database.ts';
import { useBench } from '../setup/work.ts';

const bench = useBench(useDatabase());

test('one about another surname is another question, although it is about the same passport', async () => {
  const { service } = bench;
  const [key, ...older] = service.cipher.shortIndexes('cache', 'one passport').map((hash) => hash.toString('base64'));
  const about = (lastName: string) =>
    ({
      key,
      older: older.length === 0 ? null : older,
      subject: null,
      tier: 1,
      kind: 'passport',
      hints: { lastName },
      reference: newId(),
    }) as unknown as PostponableQuestion;
  const polled: string[] = [];
  const guarded = {
    provider: { name: 'registry', poll: () => {}, serves: { passport: 1 } },
    poll: async (ticket: string) => {
      polled.push(ticket);
      return { found: ticket === 'of Obi' };
    },
  } as unknown as GuardedProvider;
  const byName = new Map([['registry', guarded]]);
  for (const name of ['Obi', 'Okafor'])
    await expect(postpone(service, about(name), guarded, { pending: `of ${name}`, askAgainMs: 10 })).rejects.toThrow();
  const obi = (await takeUp(service, about('Obi'), byName))!;
  expect(obi.result.found).toBe(true);
  await obi.forget();
  expect((await takeUp(service, about('Okafor'), byName))!.result.found).toBe(false);
  expect(polled).toEqual(['of Obi', 'of Okafor']);
  expect(await takeUp(service, about('Obi'), byName)).toBeNull();
  // By which an erasure finds it.
  expect(await service.sql`select encode(subject, 'base64') as subject from pending_lookups`).toEqual([{ subject: key }]);
});

test('a vendor that no longer answers such questions, or none later, is not asked again', async () => {
  const { service } = bench;
  const key = service.cipher.shortIndex('cache', 'another passport').toString('base64');
  const question = {
    key,
    older: null,
    subject: null,
    tier: 1,
    kind: 'passport',
    hints: {},
    reference: newId(),
  } as unknown as PostponableQuestion;
  const guarded = (provider: object) =>
    ({ provider: { name: 'registry', ...provider }, poll: () => Promise.reject(new Error('asked')) }) as unknown as GuardedProvider;
  await expect(postpone(service, question, guarded({}), { pending: 'a ticket', askAgainMs: 10 })).rejects.toThrow();
  for (const provider of [{ poll: () => {}, serves: { bvn: 1 } }, { serves: { passport: 1 } }])
    expect(await takeUp(service, question, new Map([['registry', guarded(provider)]]))).toBeNull();
});

test('a vendor that gives two questions the same reference has answered neither of them: the second one is a surprise', async () => {
  const { service } = bench;
  const guarded = { provider: { name: 'registry' } } as unknown as GuardedProvider;
  const about = (name: string) =>
    ({
      ...{ key: service.cipher.shortIndex('cache', name).toString('base64'), older: null, subject: null, tier: 1 },
      ...{ kind: 'passport', hints: {}, reference: newId() },
    }) as unknown as PostponableQuestion;
  const later = { pending: 'the same for all', askAgainMs: 10 };
  await expect(postpone(service, about('A1'), guarded, later)).rejects.toThrow(ProviderPending);
  await expect(postpone(service, about('A1'), guarded, later)).rejects.toThrow(ProviderPending);
  await expect(postpone(service, about('A2'), guarded, later)).rejects.toMatchObject({ code: 'surprise' });
});
