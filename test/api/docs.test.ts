/** `/openapi.json` and `/docs/reference` over HTTP: complete, true to the answers, and self-contained. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { openApi } from '../../src/api/app.ts';
import type { ProcessState } from '../../src/api/health.ts';
import { documentedPath } from '../../src/api/openapi/operation.ts';
import { checks } from '../../src/checks/catalog.ts';
import { batchOptions } from '../../src/contract/batches.ts';
import { FORM_TYPE, fileOptions, GZIP_TYPES, UPLOAD_TYPES } from '../../src/contract/uploads.ts';
import { type ErrorCode, errorCodes } from '../../src/foundation/errors.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { type JobEntity, sendRaw, type TestApi, type TestApp, useApi } from '../setup/api.ts';
import { listed, putVersion, settleScreening } from '../setup/lists.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: unknown;
}
interface Document {
  openapi: string;
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { schema: Schema }> }>; operationId: string }>
  >;
  webhooks: Record<string, unknown>;
  components: { schemas: Record<string, Schema> };
}

const onePixel = sharp({ create: { width: 1, height: 1, channels: 3, background: '#fff' } });
const state: ProcessState = { phase: () => 'ready', health: { alive: () => null, ready: async () => null }, metrics: async () => [] };

const api = useApi({ CONFAM_WEBHOOK_ALLOW_PRIVATE: 'true', CONFAM_FACE_MODELS: '/nowhere' });
let app: TestApp;
let document: Document;
beforeAll(async () => {
  app = await api.createApp();
  document = (await (await fetch(`${api.url}/openapi.json`)).json()) as Document;
});

describe('/openapi.json', () => {
  it('has every route of the app, and no other', async () => {
    const own = await openApi(api.service, state);
    await own.close();
    const documented = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routes = own.routes.map(({ method, path }) => ({ path, name: `${method} ${documentedPath(path)}` }));
    expect(documented.filter((name) => !routes.some((route) => route.name === name))).toEqual([]);
    // Paths for other services' clients, and for the identity provider, and the console's pages are in documents of their own; `/v1/kyc/*` stands for `/api/v1/kyc/*`.
    const told = ['compatibility', 'people', 'console', 'mcp']
      .map((page) => readFileSync(join(packageRoot(), `docs/${page}.md`), 'utf8'))
      .join();
    const isTold = (path: string) => told.includes(path) || (path.startsWith('/v1/kyc/') && told.includes('/v1/kyc/'));
    expect(routes.filter(({ name, path }) => !documented.includes(name) && !isTold(path)).map(({ name }) => name)).toEqual([]);
  });

  it('names each operation once, and refers only to existing schemas', () => {
    const ids = Object.values(document.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
    expect(new Set(ids).size).toBe(ids.length);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1]!);
    expect(references.filter((name) => !document.components.schemas[name])).toEqual([]);
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.webhooks)).toContain('job.completed');
  });

  it('shows an example of each refusal with its own code, under the right status', () => {
    type Answers = Record<string, { content?: Record<string, { examples?: Record<string, { $ref: string }> }> }>;
    const examples = (document as unknown as { components: { examples: Record<string, { value: { code: string } }> } }).components.examples;
    const seen = new Set<string>();
    for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item))) {
      for (const [status, { content }] of Object.entries(operation.responses as Answers)) {
        if (Number(status) < 400 || operation.operationId === 'isReady') continue;
        const shown = Object.entries(content!['application/json']!.examples ?? {});
        expect(shown.length, `${operation.operationId} ${status}`).toBeGreaterThan(0);
        for (const [code, { $ref }] of shown) {
          expect(examples[$ref.split('/').at(-1)!]!.value.code).toBe(code);
          expect(errorCodes[code as ErrorCode].status).toBe(Number(status));
          seen.add(code);
        }
      }
    }
    // No operation answers it: it is about methods that are no operation. The introduction says so.
    expect(Object.keys(errorCodes).filter((code) => !seen.has(code))).toEqual(['method_not_allowed']);
    expect((document as unknown as { info: { description: string } }).info.description).toContain('405 `method_not_allowed`');
  });

  it('declares the headers of refusals: when to try again, and how to authenticate', async () => {
    type Answers = Record<string, { headers?: Record<string, { $ref: string }>; content?: Record<string, { examples?: object }> }>;
    const { headers: shared } = document.components as unknown as { headers: Record<string, object> };
    for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item))) {
      for (const [status, { headers = {}, content }] of Object.entries(operation.responses as unknown as Answers)) {
        if (Number(status) < 400 || operation.operationId === 'isReady') continue;
        const codes = Object.keys(content!['application/json']!.examples!);
        const at = `${operation.operationId} ${status}`;
        // A 409 of another kind lasts, as does a check that nobody answers.
        const isPassing = ['429', '503'].includes(status) || codes.includes('idempotency_in_progress');
        expect('Retry-After' in headers, at).toBe(isPassing);
        expect('WWW-Authenticate' in headers, at).toBe(codes.includes('unauthenticated'));
        for (const { $ref } of Object.values(headers)) expect(shared).toHaveProperty($ref.split('/').at(-1)!);
      }
    }
    expect((await fetch(`${api.url}/api/v1/wallet`)).headers.get('www-authenticate')).toMatch(/^ApiKey/);
  });

  it('describes every media type of an upload, every query option as a form field, and each input for a mapping', () => {
    type Upload = {
      parameters: { name: string; in: string }[];
      requestBody: { content: Record<string, { schema: Schema }> };
    };
    for (const path of ['/api/v1/batches', '/api/v1/batches/quote']) {
      const { parameters, requestBody } = document.paths[path]!.post as unknown as Upload;
      expect(Object.keys(requestBody.content).sort()).toEqual([...UPLOAD_TYPES.keys(), ...GZIP_TYPES, FORM_TYPE].sort());
      const options = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
      expect(Object.keys(requestBody.content[FORM_TYPE]!.schema.properties!).sort()).toEqual([...options, 'file'].sort());
      expect(options).toEqual(expect.arrayContaining([...Object.keys(batchOptions.shape), ...Object.keys(fileOptions.shape)]));
      for (const input of checks.flatMap((check) => Object.keys(check.input.shape))) expect(options).toContain(`map.${input}`);
    }
  });

  it('has an ETag, and answers 304 to a client that has it', async () => {
    const { headers } = await fetch(`${api.url}/openapi.json`);
    const again = await fetch(`${api.url}/openapi.json`, { headers: { 'If-None-Match': headers.get('etag')! } });
    expect(again.status).toBe(304);
  });

  /** Members that the answer has and the document does not, or the reverse. */
  function differences(schema: Schema, value: unknown, at: string): string[] {
    if (schema.$ref) return differences(document.components.schemas[schema.$ref.split('/').at(-1)!]!, value, at);
    if (Array.isArray(value)) return value.flatMap((item, i) => differences(schema.items ?? {}, item, `${at}[${i}]`));
    if (!schema.properties || typeof value !== 'object' || value === null) return [];
    const { properties, required = [] } = schema;
    return [
      ...Object.keys(value).flatMap((name) => (properties[name] ? [] : [`${at}.${name} is not documented`])),
      ...required.flatMap((name) => (name in value ? [] : [`${at}.${name} is missing`])),
      ...Object.entries(value).flatMap(([name, member]) => differences(properties[name] ?? {}, member, `${at}.${name}`)),
    ];
  }

  it('describes answers as they are', async () => {
    const nin = '70123456789';
    const { body } = await app.job({ check: 'nin_basic', input: { nin } });
    const job = await app.ended<JobEntity>(`/api/v1/jobs/${body.entity.id}`);
    const uploaded = await app.csv('checks=nin_basic', `nin\n${nin}\n123\n`);
    const batch = uploaded.body.entity.id;
    await app.ended(`/api/v1/batches/${batch}`);
    const endpoint = (await app.post<{ id: string }>('/api/v1/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook' })).body.entity.id;
    const made = await api.admin.post<{ id: string }>('/api/v1/admin/apps', { name: 'Documented' });
    const adminApp = made.body.entity.id;
    await putVersion(api.service, 'un_sc', [listed('T.1', 'Documented Person')]);
    const documented = { name: 'Documented Person', date_of_birth: '1991-04-17', country: 'NG' };
    await settleScreening(api.service, { appId: parseId('app', app.app)!, live: true }, documented);
    const monitors = await app.live.get<{ data: { id: string }[] }>('/api/v1/aml/monitors');
    const portrait = { headers: { 'Content-Type': 'image/png' }, body: await onePixel.png().toBuffer() };
    expect((await app.send('PUT', `/api/v1/sandbox/portraits/nin/${nin}`, portrait)).status).toBe(201);
    const clearance = { ...documented, list: 'un_sc', source_id: 'T.1', reason: 'Another', cleared_by: 'A. Analyst' };
    const month = new Date().toISOString().slice(0, 7);
    const calls: [method: string, path: string, template: string, body?: unknown, client?: TestApi['admin']][] = [
      ['get', `/api/v1/kyc/nin?nin=${nin}`, '/api/v1/kyc/nin'],
      ['get', `/api/v1/kyc/nin?nin=1`, '/api/v1/kyc/nin'],
      ['get', `/api/v1/jobs/${job.id}`, '/api/v1/jobs/{id}'],
      ['get', '/api/v1/batches', '/api/v1/batches'],
      ['get', `/api/v1/batches/${batch}`, '/api/v1/batches/{id}'],
      ['get', `/api/v1/batches/${batch}/history`, '/api/v1/batches/{id}/history'],
      ['get', `/api/v1/batches/${batch}/jobs`, '/api/v1/batches/{id}/jobs'],
      ['post', `/api/v1/batches/${batch}/links`, '/api/v1/batches/{id}/links', {}],
      ['post', `/api/v1/batches/${batch}/pause`, '/api/v1/batches/{id}/pause'],
      ['post', '/api/v1/batches/quote', '/api/v1/batches/quote', { checks: 'nin_basic', rows: [{ nin }] }],
      ['get', '/api/v1/wallet', '/api/v1/wallet'],
      ['get', '/api/v1/wallet/entries', '/api/v1/wallet/entries'],
      ['get', `/api/v1/wallet/statements/${month}`, '/api/v1/wallet/statements/{month}'],
      ['get', '/api/v1/usage', '/api/v1/usage'],
      ['get', '/api/v1/prices', '/api/v1/prices'],
      ['get', '/api/v1/webhooks/endpoints', '/api/v1/webhooks/endpoints'],
      ['post', `/api/v1/webhooks/endpoints/${endpoint}/test`, '/api/v1/webhooks/endpoints/{id}/test'],
      ['get', `/api/v1/webhooks/endpoints/${endpoint}/deliveries`, '/api/v1/webhooks/endpoints/{id}/deliveries'],
      ['post', `/api/v1/webhooks/endpoints/${endpoint}/rotate`, '/api/v1/webhooks/endpoints/{id}/rotate'],
      ['post', '/api/v1/admin/apps', '/api/v1/admin/apps', { name: 'Other' }, api.admin],
      ['post', `/api/v1/admin/apps/${adminApp}/keys`, '/api/v1/admin/apps/{id}/keys', { mode: 'test' }, api.admin],
      ['post', `/api/v1/admin/apps/${adminApp}/topups`, '/api/v1/admin/apps/{id}/topups', { amount: 5 }, api.admin],
      ['post', `/api/v1/admin/apps/${adminApp}/prices`, '/api/v1/admin/apps/{id}/prices', { check: 'nin_basic', price: 1 }, api.admin],
      ['get', `/api/v1/admin/apps/${adminApp}/prices`, '/api/v1/admin/apps/{id}/prices', undefined, api.admin],
      ['post', '/api/v1/aml/clearances', '/api/v1/aml/clearances', clearance, app.live],
      ['get', '/api/v1/aml/clearances', '/api/v1/aml/clearances', undefined, app.live],
      ['get', '/api/v1/aml/lists', '/api/v1/aml/lists', undefined, app.live],
      ['get', '/api/v1/aml/monitors', '/api/v1/aml/monitors', undefined, app.live],
      ['get', `/api/v1/aml/monitors/${monitors.body.entity.data[0]!.id}`, '/api/v1/aml/monitors/{id}', undefined, app.live],
      ['get', '/api/v1/sandbox/portraits', '/api/v1/sandbox/portraits'],
      ['get', `/api/v1/sandbox/portraits/nin/${nin}`, '/api/v1/sandbox/portraits/{id_type}/{id_number}'],
      ['get', '/healthz', '/healthz'],
      ['get', '/readyz', '/readyz'],
    ];
    const wrong: string[] = [];
    for (const [method, path, template, sent, client = app] of calls) {
      const answer = method === 'get' ? await client.get(path) : await client.post(path, sent);
      const documented = document.paths[template]?.[method]?.responses[answer.status];
      if (!documented) wrong.push(`${method} ${template}: ${answer.status} is not documented`);
      else wrong.push(...differences(documented.content!['application/json']!.schema, answer.body, `${method} ${template}`));
    }
    expect(wrong).toEqual([]);
  });
});

describe('/docs/reference', () => {
  it('has a section for every operation and every schema, under a policy that forbids all but our files', async () => {
    const read = async (path: string) => {
      const page = await fetch(`${api.url}${path}`);
      expect([path, page.status, page.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
      const policy = page.headers.get('content-security-policy')!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toMatch(/script-src 'self'(;|$)/);
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      return page.text();
    };
    const idsOf = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]!);
    const index = await read('/docs/reference');
    const pages = new Map<string, string[]>();
    for (const [path, item] of Object.entries(document.paths)) {
      for (const [method, { operationId, ...rest }] of Object.entries(item)) {
        const [tag] = (rest as unknown as { tags: string[] }).tags;
        if (!pages.has(tag!)) pages.set(tag!, idsOf(await read(`/docs/reference/${tag}`)));
        expect(pages.get(tag!)).toContain(operationId.toLowerCase());
        expect(index, `${method} ${path}`).toContain(`href="./reference/${tag}#${operationId.toLowerCase()}"`);
      }
    }
    const schemas = idsOf(await read('/docs/reference/schemas'));
    expect(Object.keys(document.components.schemas).filter((name) => !schemas.includes(name.toLowerCase().replaceAll('.', '')))).toEqual(
      [],
    );
    expect(idsOf(await read('/docs/reference/events'))).toContain('jobcompleted');
  });

  it.each([
    '/docs/reference/package.json',
    '/docs/reference/../package.json',
    '/docs/reference/..%2f..%2fpackage.json',
    '/docs/reference/%2e%2e%2fpackage.json',
    '/docs/reference/jobs%00.md',
    '/docs/reference/index.html',
    '/docs/reference/constructor',
    '/docs/constructor',
    '/docs/..%2fpackage.json',
    '/docs/..%2fSECURITY.md',
    '/docs/console/..%2f..%2f..%2fpackage.json',
    '/docs/nothing',
    '/docs/decisions/nothing.md',
  ])('does not serve %s', async (path) => {
    expect((await sendRaw(api.port, { path })).status).toBe(404);
  });
});
