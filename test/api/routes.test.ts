/** Every route that the router knows is declared once, and says whose key it accepts. */
import { expect, test } from 'vitest';
import { openApi } from '../../src/api/app.ts';
import type { ProcessState } from '../../src/api/health.ts';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { documentedPath } from '../../src/api/openapi/operation.ts';
import { type Route, route } from '../../src/api/route.ts';
import { documentedOperations, routes } from '../../src/api/routes.ts';
import { useApi } from '../setup/api.ts';

const state: ProcessState = { phase: () => 'ready', health: { alive: () => null, ready: async () => null }, metrics: async () => [] };
const api = useApi();
const nameOf = ({ method, path }: Pick<Route, 'path'> & { method: string }) => `${method.toUpperCase()} ${path}`;

test('the router knows the declared routes, and no other', async () => {
  const opened = await openApi(api.service, state);
  await opened.close();
  // The router lists a route once for each of its guards.
  expect([...new Set(opened.routes.map(nameOf))].sort()).toEqual(routes.map(nameOf).sort());
});

test('no two declarations answer the same request or share an operation', () => {
  const requests = routes.map(({ method, path }) => `${method} ${path.replaceAll(/:[^/]+/g, ':')}`);
  expect(requests.filter((request, at) => requests.indexOf(request) !== at)).toEqual([]);
  const ids = documentedOperations().map(({ id }) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

test('the document has the operation of every documented route where the route is', async () => {
  const { paths } = (await openApiDocument(documentedOperations())) as { paths: Record<string, Record<string, { operationId: string }>> };
  for (const { method, path, operation } of routes) {
    const written = paths[documentedPath(path)]?.[method]?.operationId;
    expect(written, nameOf({ method, path })).toBe(operation?.().id);
  }
});

test('the operations are plain data, as the thread that writes the document needs them', () => {
  expect(structuredClone(documentedOperations())).toEqual(documentedOperations());
});

test('a declaration without `who` does not compile', () => {
  const declared = { method: 'get', path: '/x/:id', id: 'x', tag: 'x', summary: 'X', answers: {} } as const;
  // @ts-expect-error: `who` is missing.
  route({ ...declared, handle: () => new Response() });
  expect(route({ ...declared, who: 'admin', handle: () => new Response() }).who).toBe('admin');
});

test('what the path names is looked up before the rest of the request is parsed, and after the key is', async () => {
  const app = await api.createApp();
  const path = '/api/v1/batches/bat_019ab1fc18a97a7475b6c08682369091';
  const of = async (answer: Promise<{ status: number; body: { code: string } }>) => (await answer).body.code;
  expect(await of(app.post(`${path}/links`, 'not JSON', { 'Content-Type': 'application/json' }))).toBe('resource_not_found');
  expect(await of(app.get(`${path}/results?format=pdf`))).toBe('resource_not_found');
  expect(await of(app.get(`${path}/results?format=pdf`, { Authorization: 'cf_test_wrong' }))).toBe('unauthenticated');
});
