/** What Smile ID's adapter does over several requests, and what it does not believe. */
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Lookup, Provider } from '../../src/checks/provider.ts';
import { smileId } from '../../src/providers/adapters/smile-id.ts';
import { openVendorHttp, type VendorHttp } from '../../src/providers/vendor-http.ts';
import { completed, credentials, refusal, result, signatureAt, statusOf } from '../vendors/smile-id.ts';
import { companyFound, ninFound } from '../vendors/smile-id-subjects.ts';
import { type Reply, startVendor, type VendorServer } from '../vendors/vendor.ts';

let server: VendorServer;
let http: VendorHttp;
beforeAll(async () => {
  server = await startVendor();
  http = openVendorHttp({ baseUrl: server.url, timeoutMs: 500, connectTimeoutMs: 500, responseBytesMax: 64 * 1024, inFlightMax: 2 });
});
afterAll(async () => {
  await http.close();
  await server.close();
});

const open = (mode: 'sync' | 'async', callbackUrl: string | null = null) =>
  smileId.open({ http, credentials, options: { mode } as never, callbackUrl }) as Required<Provider>;

const nin: Lookup = {
  kind: 'nin',
  tier: 1,
  identifier: ninFound.IDNumber,
  hints: {},
  reference: 'ref',
  signal: AbortSignal.timeout(10_000),
};
const cac: Lookup = { ...nin, kind: 'cac', identifier: 'COMPANY:2217045' };
const done = (jobId: string, code: string, members: object = {}): Reply =>
  statusOf({ code: '2302', job_complete: true, result: result(jobId, code, members) });
const jobsAsked = () => server.requests.map(({ path, body }) => [path, jobOf(body as Record<string, Record<string, string>>)]);
const jobOf = ({ partner_params, job_id }: Record<string, Record<string, string> | string>) =>
  typeof partner_params === 'object' ? partner_params.job_id : job_id;

test('the signature equals the one openssl makes', () => {
  expect(signatureAt('2026-11-20T10:46:49.392Z')).toBe('heAzDN2Kdi1wkZFSeMUkYL+ZEeXget9zHeMB/s2BJKk=');
});

describe('a job that was sent before', () => {
  test('is fetched, not asked again', async () => {
    server.script(refusal('2215'), completed('ref-nin-1', ninFound));
    expect(await open('sync').lookup(nin)).toMatchObject({ found: true, record: { firstname: 'Ebitimi' } });
    expect(jobsAsked()).toEqual([
      ['/v1/id_verification', 'ref-nin-1'],
      ['/v1/job_status', 'ref-nin-1'],
    ]);
  });

  test('and failed is asked as a new one', async () => {
    server.script(refusal('2215'), done('ref-nin-1', '1015'), { status: 200, body: result('ref-nin-1-1', '1012', ninFound) });
    expect(await open('sync').lookup(nin)).toMatchObject({ found: true });
    expect(jobsAsked().at(-1)).toEqual(['/v1/id_verification', 'ref-nin-1-1']);
  });

  test('and failed too often stays failed', async () => {
    const failed = [0, 1, 2, 3, 4].flatMap((n) => [refusal('2215'), done(n === 0 ? 'ref-nin-1' : `ref-nin-1-${n}`, '1015')]);
    server.script(...failed);
    await expect(open('sync').lookup(nin)).rejects.toMatchObject({ code: 'down' });
    expect(server.requests).toHaveLength(10);
  });

  test('and is malformed is not asked again', async () => {
    server.script(refusal('2215'), done('ref-nin-1', '1014'));
    await expect(open('sync').lookup(nin)).rejects.toMatchObject({ code: 'invalid', receipt: { reference: '0000003071' } });
    expect(server.requests).toHaveLength(2);
  });

  test('and is still in progress is waited for, even if the vendor does not show it yet', async () => {
    for (const status of [statusOf({ code: '2302', job_complete: false }), refusal('2303')]) {
      server.script(refusal('2215'), status);
      expect(await open('sync').lookup(nin)).toMatchObject({ pending: 'ref-nin-1' });
    }
  });
});

describe('after a time-out', () => {
  test.each([
    ['a refusal', refusal('2303')],
    ['an incomplete job of another code', statusOf({ code: '2303', job_complete: false })],
  ])('the vendor never received it: %s', async (_, reply) => {
    server.script(reply);
    expect(await open('sync').reconcile(nin)).toBeNull();
  });

  test('the latest of several jobs counts', async () => {
    server.script(done('ref-nin-1', '1015'), done('ref-nin-1-1', '1013'));
    expect(await open('sync').reconcile(nin)).toMatchObject({ found: false });
  });

  test('wrong credentials do not mean that it never arrived', async () => {
    server.script(refusal('2205'));
    await expect(open('sync').reconcile(nin)).rejects.toMatchObject({ code: 'unauthorized' });
  });
});

describe('a job that the vendor answers later', () => {
  test('is sent without a callback address, and polled more often, where there is none', async () => {
    server.script({ status: 200, body: { success: true } });
    expect(await open('async').lookup(nin)).toMatchObject({ pending: 'ref-nin-1', askAgainMs: 10_000 });
    expect(server.requests[0]!.body).not.toHaveProperty('callback_url');
    server.script({ status: 200, body: { success: true } });
    expect(await open('async', 'https://confam.example/call').lookup(nin)).toMatchObject({ askAgainMs: 60_000 });
  });

  test('about another subject, or without a result, is no answer', async () => {
    for (const status of [
      done('somebody-elses', '1012', ninFound),
      statusOf({ code: '2302', job_complete: true, result: 'No zip uploaded yet' }),
    ]) {
      server.script(status);
      await expect(open('async').poll('ref-nin-1', nin)).rejects.toMatchObject({ code: 'surprise' });
    }
  });

  test('whose registry was unavailable is asked anew, under the same vendor reference', async () => {
    server.script(done('ref-nin-1', '1015'), { status: 200, body: { success: true } });
    expect(await open('async').poll('ref-nin-1', nin)).toMatchObject({ pending: 'ref-nin-1' });
    expect(jobsAsked().at(-1)).toEqual(['/v1/async_id_verification', 'ref-nin-1-1']);
    server.script(done('ref-nin-1', '1015'), refusal('2215'), completed('ref-nin-1-1', ninFound));
    expect(await open('async').poll('ref-nin-1', nin)).toMatchObject({ found: true });
  });

  test('is announced by a message from today, whose own content is not trusted', async () => {
    const call = (timestamp: string, signature = signatureAt(timestamp)) =>
      inPieces(JSON.stringify({ ...result('ref-nin-1', '1012', ninFound), timestamp, signature }));
    const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * 3_600_000).toISOString();
    const { receive } = open('async');
    expect(await receive(call(at(23)))).toEqual({ ticket: 'ref-nin-1', answer: null });
    expect(await receive(call(at(23), signatureAt(at(22))))).toBeNull();
    expect(await receive(call(at(25)))).toBeNull();
    expect(await receive(call(at(-25)))).toBeNull();
    expect(await receive(call('yesterday'))).toBeNull();
    expect(open('sync').receive).toBeUndefined();
    expect(await receive(inPieces('{"timestamp": '))).toBeNull();
    expect(await receive(inPieces('no JSON'))).toBeNull();
  });

  test('by a message that is read only as far as its signature', async () => {
    const { receive } = open('async');
    const timestamp = new Date().toISOString();
    const start = (signature: string) => JSON.stringify({ timestamp, signature, PartnerParams: { user_id: 'ref-nin-1' } }).slice(0, -1);
    const endless = (text: string) => {
      const read = { pieces: 0 };
      const body = (async function* () {
        for (yield Buffer.from(text); ; read.pieces++) yield Buffer.from(`,"more${read.pieces}":"${'x'.repeat(10_000)}"`);
      })();
      return { read, message: { headers: {}, body } };
    };
    const forged = endless(start('nothing'));
    expect(await receive(forged.message)).toBeNull();
    const genuine = endless(start(signatureAt(timestamp)));
    expect(await receive(genuine.message)).toEqual({ ticket: 'ref-nin-1', answer: null });
    expect([forged.read.pieces, genuine.read.pieces]).toEqual([0, 0]);
  });
});

describe('company and tax registries', () => {
  test.each([
    { ...cac, identifier: 'LIMITED_PARTNERSHIP:2217045' },
    { ...cac, identifier: 'COMPANY:KD023538' },
    { ...cac, kind: 'tin' as const, identifier: '1020304050' },
  ])('a number in a form the vendor does not take is left to other providers: $identifier', async (lookup) => {
    server.script();
    await expect(open('sync').lookup(lookup)).rejects.toMatchObject({ code: 'not_configured', elsewhere: true, scope: 'subject' });
    expect(server.requests).toEqual([]);
  });

  test('another company is a surprise; a prefix and leading zeros are not', async () => {
    const answer = (registration_number: string): Reply => ({
      status: 200,
      body: result('ref-cac-1', '1012', { company_information: { ...companyFound.company_information, registration_number } }),
    });
    server.script(answer('2217046'));
    await expect(open('sync').lookup(cac)).rejects.toMatchObject({ code: 'surprise', detail: "registration_number: another subject's" });
    server.script(answer('RC 02217045'));
    expect(await open('sync').lookup(cac)).toMatchObject({ found: true, record: { rc_number: '2217045' } });
  });
});

/** A message as it may arrive: a few bytes at a time. */
function inPieces(text: string) {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.subarray(at * 7, at * 7 + 7));
  return { headers: {}, body: Readable.from(pieces) };
}
