/** Messages about deleted jobs and batches, without HTTP and workers: once the deletion is answered none is sent, even before anything is purged. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { bySystem } from '../../src/access/audit/append.ts';
import { cancelBatch } from '../../src/batches/control.ts';
import { submitJob } from '../../src/batches/submit-job.ts';
import { openJobs } from '../../src/batches/submitted.ts';
import { jobBody } from '../../src/contract/jobs.ts';
import { endpointBody } from '../../src/contract/webhooks.ts';
import { newId, showId } from '../../src/foundation/ids.ts';
import { deleteBatch, deleteJob } from '../../src/lifecycle/deletions.ts';
import { openOutbound } from '../../src/net/guarded-http.ts';
import { announceReviews } from '../../src/reviews/opening.ts';
import { deliver, leaseDeliveries } from '../../src/webhooks/delivery.ts';
import { createEndpoint } from '../../src/webhooks/endpoints.ts';
import { recordEvents } from '../../src/webhooks/events.ts';
import { readDeliveryWithMessage } from '../../src/webhooks/replay.ts';
import { useDatabase } from '../setup/database.ts';
import { freshNin, makeOwner, uploadNins, useBench } from '../setup/work.ts';

const bench = useBench(useDatabase());
const by = bySystem('test');

/** A canceled batch, whose message to an endpoint that wants results is leased. */
async function leased() {
  const { service } = bench;
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    for await (const chunk of request) received.push(String(chunk));
    response.end();
  }).listen(0, '127.0.0.1');
  const outbound = openOutbound({ allowPrivate: true, privateAnswers: false, timeoutMs: 5_000 });
  onTestFinished(async () => {
    await outbound.close();
    server.close();
  });
  await new Promise((listening) => server.once('listening', listening));
  const owner = await makeOwner(service);
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await createEndpoint(
    service,
    owner,
    endpointBody.parse({ url, events: ['batch.canceled'], encryption_key: publicKey.export({ format: 'jwk' }) }),
    by,
  );
  const { id } = await uploadNins(service, owner, [freshNin()], { reference: 'r-17' });
  const batch = (await cancelBatch(service, owner.appId, id, by))!;
  const [ticket] = await leaseDeliveries(service, 1);
  const delivery = ticket!.split('.')[0]!;
  return { owner, batch, received, outbound, ticket: ticket!, delivery };
}

test('a message that waited for its next attempt is neither sent nor shown', async () => {
  const { service } = bench;
  const { owner, batch, received, outbound, ticket, delivery } = await leased();
  expect(await readDeliveryWithMessage(service, owner, delivery)).toMatchObject({ message: { data: { reference: 'r-17' } } });
  await deleteBatch(service, batch, by);
  expect(await readDeliveryWithMessage(service, owner, delivery)).toBeNull();
  await deliver(service, outbound, ticket, openJobs);
  expect(received).toEqual([]);
});

test('a message whose results were being read is not sent', async () => {
  const { service } = bench;
  const { batch, received, outbound, ticket } = await leased();
  await deliver(service, outbound, ticket, async (ctx, jobs) => {
    const opened = await openJobs(ctx, jobs);
    await deleteBatch(service, batch, by);
    return opened;
  });
  expect(received).toEqual([]);
});

test('messages about the review case of a deleted job go with it', async () => {
  const { service } = bench;
  const { sql } = service;
  const owner = await makeOwner(service);
  const { id } = await submitJob(service, owner, jobBody.parse({ check: 'nin_basic', input: { nin: freshNin() } }));
  await sql`update jobs set status = 'canceled', completed_at = now() where id = ${id}`;
  const { appId, live } = owner;
  const [theirs, other] = [newId(), newId()];
  await createEndpoint(service, owner, endpointBody.parse({ url: 'http://127.0.0.1:9/hook' }), by);
  await sql`insert into reviews (id, app_id, live, job_id, check_id, kind) values (${theirs}, ${appId}, ${live}, ${id}, 'nin_basic', 'face')`;
  await sql.begin((tx) =>
    recordEvents(
      tx,
      [theirs, other].map((review) => ({ id: newId(), appId, live, type: 'review.opened', data: { id: showId('rev', review) } })),
    ),
  );
  expect(await deleteJob(service, { id, appId, live }, by)).toBe(true);
  await announceReviews(service);
  expect(await sql`select data ->> 'id' as id from events where app_id = ${appId}`).toEqual([{ id: showId('rev', other) }]);
});

test('a message is sent if nothing is deleted', async () => {
  const { service } = bench;
  const { received, outbound, ticket } = await leased();
  await deliver(service, outbound, ticket, openJobs);
  expect(JSON.parse(received.join(''))).toMatchObject({
    type: 'batch.canceled',
    data: { reference: 'r-17', encrypted: expect.any(String) },
  });
});
