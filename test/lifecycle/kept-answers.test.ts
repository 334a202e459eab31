/** Answers kept for an Idempotency-Key are searched in steps, each of which goes on where the one before has ended. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createApp } from '../../src/access/apps.ts';
import { forgetAnswersNaming } from '../../src/access/idempotency.ts';
import { recordset } from '../../src/foundation/recordset.ts';
import { useDatabase } from '../setup/database.ts';

const database = useDatabase();

test('every answer is looked at once, however short the steps are, and only those that name somebody are replaced', async () => {
  const ctx = database.openContext();
  try {
    const { id: appId } = await createApp(ctx, 'Test');
    const { seal } = await ctx.cipher.sealer({ appId });
    const answers = Array.from({ length: 250 }, (_, at) => {
      const key = randomBytes(32);
      const text = at % 50 === 0 ? `theirs ${at}` : `another's ${at}`;
      return { key, text, body: seal(text, 'idempotency', `${appId}:false:${key.toString('hex')}`) };
    });
    await ctx.sql`
      insert into idempotency_keys (app_id, live, key, fingerprint, status, headers, body, expires_at)
      select ${appId}, false, key, key, 202, '{}', body, now() + interval '1 day'
      from ${recordset(ctx.sql, answers, { key: ['bytea', ({ key }) => key], body: ['bytea', ({ body }) => body] })} t`;
    const seen: string[] = [];
    const isTheirs = (text: string) => {
      seen.push(text);
      return text.startsWith('theirs');
    };
    let steps = 0;
    for (let place: string | null = null; steps === 0 || place !== null; steps++)
      place = await ctx.sql.begin((tx) =>
        forgetAnswersNaming(tx, ctx.cipher, { appId, live: false }, isTheirs, { place, isLong: () => true }),
      );
    expect(steps).toBe(3);
    expect(seen.toSorted()).toEqual(answers.map(({ text }) => text).toSorted());
    const [left] = await ctx.sql<{ kept: number; replaced: number }[]>`
      select count(*) filter (where status = 202)::int as kept, count(*) filter (where status = 404)::int as replaced from idempotency_keys`;
    expect({ ...left }).toEqual({ kept: 245, replaced: 5 });
  } finally {
    await ctx.close();
  }
});
