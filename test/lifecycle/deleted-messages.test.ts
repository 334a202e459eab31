/** Messages about deleted jobs and batches, without HTTP and workers: once the deletion is answered none is sent, even before anything is purged. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { bySystem } from '../../src/access/audit/append.ts';
import { cancelBatch } from '../../src/batches/control.ts';
import { openJobs } from '../../src/batches/submitted.ts';
import { endpointBody } from '../../src/contract/webhooks.ts';
import { deleteBatch } from '../../src/lifecycle/deletions.ts';
import { openOutbound } from '../../src/net/guarded-http.ts';
import { deliver, leaseDeliveries } from '../../src/webhooks/delivery.ts';
import { createEndpoint } from '../../src/webhooks/endpoints.ts';
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

test('nor is one whose results were being read', async () => {
  const { service } = bench;
  const { batch, received, outbound, ticket } = await leased();
  await deliver(service, outbound, ticket, async (ctx, jobs) => {
    const opened = await openJobs(ctx, jobs);
    await deleteBatch(service, batch, by);
    return opened;
  });
  expect(received).toEqual([]);
});

test('the same message is sent if nothing is deleted', async () => {
  const { service } = bench;
  const { received, outbound, ticket } = await leased();
  await deliver(service, outbound, ticket, openJobs);
  expect(JSON.parse(received.join(''))).toMatchObject({
    type: 'batch.canceled',
    data: { reference: 'r-17', encrypted: expect.any(String) },
  });
});
