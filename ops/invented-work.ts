/** Work of every kind in the sandbox's demo app, for the pictures of the console. Everybody in it is invented. */
import { createServer, type Server } from 'node:http';
import postgres from 'postgres';
import type { SandboxFile } from '../workers/demo-app.ts';

export interface Invented {
  /** A completed batch, and one of its rows. */
  batch: string;
  row: string;
  screened: string;
  review: string;
  endpoint: string;
  /** The page of a signed link. */
  link: string;
  app: string;
  close(): void;
}

const PASSWORD = 'Forty long corridors';
const MAP = 'map.nin=National%20ID%20No&map.reference=Customer%20ref';
const SANCTIONED = { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14', country: 'NG' };

/** Rows of a spreadsheet of customers. `bad`: further lines as they are. */
export const customers = (count: number, from: number, bad = ''): string =>
  `Customer ref,National ID No,Branch\n${Array.from(
    { length: count },
    (_, i) => `CU-${String(from + i).padStart(5, '0')},${40_000_000_000 + (from + i) * 7},${['Ikeja', 'Wuse', 'Aba'][i % 3]}`,
  ).join('\n')}\n${bad}`;

type Send = <Entity = Record<string, never>>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Entity>;

export function sender(base: string, { app_id, test_key, admin_key }: SandboxFile): Send {
  return async (method, path, body, headers = {}) => {
    const isText = typeof body === 'string';
    const response = await fetch(`${base}/api/v1/${path}`, {
      method,
      headers: {
        ...(!headers.Cookie && { Authorization: path.startsWith('admin/') ? admin_key : test_key }),
        ...(!path.startsWith('admin/') && { AppId: app_id }),
        ...(body !== undefined && { 'Content-Type': isText ? 'text/csv' : 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { entity: never; error?: string };
    // Some calls must fail, for the page that shows failures.
    if (!response.ok && !path.startsWith('kyc/')) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer.entity;
  };
}

export async function inventWork(base: string, sandbox: SandboxFile, receiverPort: number): Promise<Invented> {
  const send = sender(base, sandbox);
  const upload = (query: string, csv: string) => send<{ id: string }>('POST', `batches?${query}`, csv);
  const until = async (path: string) => {
    while ((await send<{ status: string }>('GET', `${path}?wait=30`)).status !== 'completed');
  };
  const receiver = await startReceiver(receiverPort);
  await send('PATCH', `admin/apps/${sandbox.app_id}`, {
    settings: { reviews: { amlLevel: 'HIGH' }, approveStartAboveKobo: 700_000_00, lowBalance: 100_000 },
  });
  const endpoint = await send<{ id: string }>('POST', 'webhooks/endpoints', {
    url: `http://localhost:${receiverPort}/hooks/confam`,
    description: 'Core banking',
  });
  await people(base, send, sandbox);
  await keys(send);
  const done = await upload(
    `checks=nin_basic&${MAP}&reference=May%20customers`,
    customers(1_200, 1, 'CU-09998,00000000001,Aba\nCU-09999,12,Aba\n'),
  );
  await upload(`checks=nin_advance&${MAP}&reference=Staff%20of%20Kano`, customers(80, 2_000));
  await upload(`checks=nin_basic&${MAP}&reference=Waits%20for%20Ada&start=manual`, customers(300, 3_000));
  const screened = await send<{ id: string }>('POST', 'jobs', {
    check: 'aml_screening',
    input: { ...SANCTIONED, monitor: true },
    reference: 'CU-00071',
  });
  for (const [name, born] of [
    ['Zainabu Kakawande', '1979-09-02'],
    ['Chinedu Okolobia', '1985-01-20'],
  ])
    await send('POST', 'jobs', { check: 'aml_screening', input: { name, date_of_birth: born, country: 'NG', monitor: true } });
  for (const path of [
    'nin?nin=70123456789',
    'nin/advance?nin=70123456789',
    'bvn/basic?bvn=22222222222',
    'nin?nin=00000000001',
    'nin?nin=12',
  ])
    await send('GET', `kyc/${path}`);
  for (let n = 0; n < 40; n++) await send('GET', `kyc/nin?nin=${50_000_000_000 + n * 7}`, undefined, { Authorization: sandbox.live_key });
  await until(`batches/${done.id}`);
  await until(`jobs/${screened.id}`);
  const [job] = (await send<{ data: { id: string; row: number }[] }>('GET', `batches/${done.id}/jobs?limit=1`)).data;
  const [review] = (await send<{ data: { id: string }[] }>('GET', 'reviews')).data;
  await send('POST', `reviews/${review!.id}/comment`, { text: 'Same name and year of birth; the passport is still to come.' });
  const { page_url } = await send<{ page_url: string }>('POST', `batches/${done.id}/links`, { format: 'csv' });
  await send('POST', 'subjects/export', { identifiers: [{ type: 'nin', value: '70123456789' }], reason: 'A letter of 3 May' });
  await send('POST', 'subjects/erase', { identifiers: [{ type: 'nin', value: '40000000098' }] });
  await send('POST', 'subjects/holds', {
    identifiers: [{ type: 'nin', value: '40000000105' }],
    reason: 'A dispute over a loan, in court since March',
  });
  await send('POST', 'consents/withdrawals', { reference: 'consent 2026/118' });
  return {
    batch: done.id,
    row: job!.id,
    screened: screened.id,
    review: review!.id,
    endpoint: endpoint.id,
    link: page_url,
    app: sandbox.app_id,
    close: () => receiver.close(),
  };
}

/** Takes most messages. */
async function startReceiver(port: number): Promise<Server> {
  let messages = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(++messages % 4 === 0 ? 503 : 204).end());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}

/** Two people who have joined, one of whom asks for an approval, and one who has not joined yet. */
async function people(base: string, send: Send, { app_id: app }: SandboxFile): Promise<void> {
  const invite = (email: string, role: string) => send<{ link: string }>('POST', 'admin/people', { email, app, role });
  const join = async ({ link }: { link: string }, name: string) => {
    const response = await fetch(`${base}/api/v1/session/link`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token: link.split('#')[1], password: PASSWORD, name }),
    });
    const { entity } = (await response.json()) as { entity: { csrf_token: string } };
    const cookies = response.headers.getSetCookie().map((line) => line.split(';')[0]);
    return { Cookie: cookies.join('; '), 'X-CSRF-Token': entity.csrf_token, AppId: app, 'Confam-Mode': 'test' };
  };
  await join(await invite('bisi.ade@bank.example', 'approver'), 'Bisi Ade');
  const chidi = await join(await invite('chidi.eze@bank.example', 'operator'), 'Chidi Eze');
  await invite('ngozi.obi@bank.example', 'viewer');
  const { id } = await send<{ id: string }>(
    'POST',
    `batches?checks=nin_advance&${MAP}&reference=Dormant%20accounts&start=manual`,
    customers(6_000, 20_000),
  );
  await send('POST', `batches/${id}/start`, undefined, chidi);
}

async function keys(send: Send): Promise<void> {
  const month = new Date(Date.now() + 90 * 86_400_000).toISOString();
  await send('POST', 'keys', { name: 'Nightly upload', scopes: ['batches:write', 'results:read'], daily_cap: 250_000, expires_at: month });
  await send('POST', 'keys', { name: 'Mobile app', scopes: ['verify'], addresses: ['203.0.113.0/24'] });
}

/** Books a part of today's spending, varying by day, on each of the 27 days before today. */
export async function spendOfDays(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await sql`
    insert into usage_days (app_id, live, day, check_id, source, found, not_found, failed, cached, charged, billed_kobo)
    select d.app_id, d.live, d.day - n, d.check_id, d.source, ceil(d.found * share), ceil(d.not_found * share), 0, 0,
      ceil(d.charged * share), ceil(d.charged * share) * 12500
    from usage_days d, generate_series(1, 27) n, lateral (select (0.35 + 0.6 * abs(sin(n * 1.7)) * case when n % 7 in (1, 2) then 0.2 else 1 end) as share) s
    where d.source = 'batch'
    on conflict do nothing`;
  await sql.end();
}
