/** Bull Board at /console/queues: administrators see what is queued, nobody else does, and nobody changes anything through it. */
import { describe, expect, inject, test } from 'vitest';
import { families } from '../../src/checks/catalog.ts';
import { type SeenQueues, WEBHOOK_QUEUE } from '../../src/foundation/queue.ts';
import { useApi } from '../setup/api.ts';
import { PASSWORD, signedInAs, tokenIn } from '../setup/browser.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { siteUrl } from '../setup/console.ts';
import { backends } from '../setup/database.ts';

const ROOT = '/console/queues';

interface Queues {
  queues: { name: string; readOnlyMode: boolean; counts: Record<string, number>; jobs: { data: unknown; failedReason?: string }[] }[];
}

describe.each(backends())('on %s', (backend) => {
  const api = useApi(backend === 'redis' ? { REDIS_URL: inject('redisUrl')!, CONFAM_QUEUE_PREFIX: `board_${process.pid}` } : {});
  const chromium = useChromium();

  const seen = async (work: (queues: SeenQueues['queues']) => Promise<unknown>) => {
    const { queues, close } = api.service.queues.see(['nin']);
    await work(queues);
    await close();
  };

  /** Puts tickets into a queue as the dispatcher does, and keeps the pools from taking them. */
  async function queued(count: number): Promise<void> {
    await seen(([queue]) => queue!.pause());
    const queue = api.service.queues.queue('nin');
    const id = (at: number) => `00000000-0000-7000-8000-${String(at).padStart(12, '0')}`;
    await queue.add(Array.from({ length: count }, (_, at) => ({ id: id(at), priority: 1 })));
    await queue.close();
  }

  test('an administrator sees the queues with ids and nothing else; everybody else is refused', async () => {
    await queued(3);
    const { status, body } = await api.admin.get(`${ROOT}/api/queues?activeQueue=nin&status=prioritized&page=1&jobsPerPage=10`);
    expect(status, JSON.stringify(body)).toBe(200);
    const { queues } = body as unknown as Queues;
    expect(queues.map(({ name }) => name).sort()).toEqual([...families, WEBHOOK_QUEUE, 'lists'].sort());
    expect(queues.every(({ readOnlyMode }) => readOnlyMode)).toBe(true);
    const nin = queues.find(({ name }) => name === 'nin')!;
    expect(nin.jobs.length).toBe(3);
    for (const { data } of nin.jobs) expect(data).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) });

    const app = await api.createApp();
    const { browser } = await signedInAs(api, app, 'owner');
    for (const path of ['', '/api/queues', '/static/favicon.ico']) {
      expect((await app.get(`${ROOT}${path}`)).status, path).toBe(403);
      expect((await browser.get(`${ROOT}${path}`)).status, path).toBe(403);
      expect((await fetch(`${api.url}${ROOT}${path}`)).status, path).toBe(401);
    }
  });

  test('nothing can be changed through it, and what an error said is not shown', async () => {
    await queued(1);
    await seen(([queue]) => queue!.resume());
    await seen(([queue]) => queue!.add('ticket', { id: 'x' }, { jobId: 't-x', delay: 3_600_000 }));
    const ways = [
      'pause',
      'resume',
      'queues/pause',
      'queues/nin/pause',
      'queues/nin/empty',
      'queues/nin/t-x/clean',
      'queues/nin/clean/delayed',
    ];
    for (const way of ways)
      for (const method of ['PUT', 'POST', 'PATCH', 'DELETE']) {
        const { status } = await api.admin.send(method, `${ROOT}/api/${way}`, {});
        expect([404, 405], `${method} ${way}`).toContain(status);
      }
    await seen(async ([queue]) => {
      expect(await queue!.isPaused()).toBe(false);
      expect(await queue!.getJob('t-x'), 'the ticket is still there as it was').toMatchObject({ name: 'ticket', data: { id: 'x' } });
      await queue!.remove('t-x');
    });
  });

  test('its page loads nothing from elsewhere and runs no inline script; only its own files are read', async () => {
    const response = await fetch(`${api.url}${ROOT}`, { headers: { Authorization: api.admin.key } });
    const text = await response.text();
    expect(response.status, text).toBe(200);
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(text).not.toMatch(/https?:\/\/|<style|style=|\son\w+=/);
    const files = [...text.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) expect((await api.admin.get(`${ROOT}/${file}`)).status, file).toBe(200);
    for (const file of ['static/..%2f..%2fpackage.json', 'static/none.js', 'static/locales/en-US/none.json'])
      expect((await api.admin.get(`${ROOT}/${file}`)).status, file).toBe(404);
  });

  test.skipIf(!chromiumIsHere)(chromiumNote('a browser shows it within its content security policy'), async () => {
    await queued(2);
    const invited = await api.admin.post<{ link: string }>('/api/v1/admin/people', { email: 'root@bank.test', administrator: true });
    const { page, expectClean, close } = await chromium.visit(`${siteUrl(api)}/console/invitation#${tokenIn(invited.body.entity.link)}`);
    await page.getByLabel('Your name').fill('Tunde Bello');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('link', { name: 'Queues' }).click();
    await page.getByText('webhooks').first().waitFor();
    await page.goto(`${siteUrl(api)}${ROOT}/queue/nin`);
    await page.getByText('t-00000000').first().waitFor();
    expect(await page.getByRole('button', { name: /clean|retry|pause|empty|add job/i }).count()).toBe(0);
    expectClean();
    await close();
  });
});
