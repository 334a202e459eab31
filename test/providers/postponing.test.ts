/** Pending questions: two about the same document are kept apart, and an answer that a vendor sends unasked passes the gate. */
import { expect, test } from 'vitest';
import { type Answer, type Provider, ProviderPending } from '../../src/checks/provider.ts';
import { newId } from '../../src/foundation/ids.ts';
import type { GuardedProvider, VendorLookup } from '../../src/providers/guarded-provider.ts';
import { type PostponableQuestion, postpone, takeUp } from '../../src/providers/postponing.ts';
import { openRouter } from '../../src/providers/router.ts';
import { useDatabase } from '../setup/database.ts';
import { freshNin, useBench } from '../setup/work.ts';

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

test('an answer in a message is checked like one to a poll: a record of somebody else is a surprise, and the next attempt asks again', async () => {
  const { service } = bench;
  const nin = freshNin();
  const record = { nin, firstname: 'ADA', surname: 'OKORO', birthdate: '1990-01-01' };
  let message: Answer;
  const provider: Provider = {
    name: 'registry',
    serves: { nin: 1 },
    budget: { requestsPerSecond: null, burst: 1, reservedForCalls: 0, inFlightMax: 4, timeoutMs: 1_000 },
    cost: () => 500,
    lookup: async () => ({ pending: `of ${nin}`, askAgainMs: 10 }),
    poll: async () => ({ pending: `of ${nin}`, askAgainMs: 10 }),
    receive: async () => ({ ticket: `of ${nin}`, answer: message }),
  };
  const router = await openRouter(service, { live: [provider], test: [] });
  const key = service.cipher.shortIndex('cache', nin).toString('base64');
  async function answeredBy(sent: Answer) {
    const trail: VendorLookup[] = [];
    const ask = () =>
      router.lookup({
        ...{ kind: 'nin', tier: 1, identifier: nin, hints: {}, key, older: null, subject: null, reference: newId() },
        ...{ live: true, priority: 'call', waitMaxMs: 0, trail },
      });
    await expect(ask()).rejects.toThrow(ProviderPending);
    message = sent;
    expect(await router.receive('registry', { headers: {}, body: (async function* () {})() })).toBe('kept');
    const answer = await ask().catch((error: unknown) => error);
    return { answer, trail: trail.map(({ outcome, costKobo }) => [outcome, costKobo]) };
  }
  const receipt = { status: '200', reference: 'q-1', answerHash: null };
  for (const other of [{ nin: freshNin() }, { surname: 'OKO\0RO' }, { birthdate: 'unknown' }])
    expect(await answeredBy({ found: true, record: { ...record, ...other }, receipt })).toMatchObject({
      answer: { code: 'surprise', receipt },
      trail: [
        ['pending', 0],
        ['surprise', 0],
      ],
    });
  expect(await answeredBy({ found: true, record, receipt })).toMatchObject({
    answer: { provider: 'registry', result: { found: true, record } },
    trail: [
      ['pending', 0],
      ['found', 500],
    ],
  });
  await router.close();
});
