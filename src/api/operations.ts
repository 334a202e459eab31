/** For load balancers and monitoring: liveness, readiness, metrics. */
import { Hono } from 'hono';
import { AggregatorRegistry } from 'prom-client';
import type { Variables } from './http.ts';
import { mount } from './mount.ts';
import { file } from './openapi/operation.ts';
import { type JsonSchema, objectOf } from './openapi/schema.ts';
import { route } from './route.ts';
import type { OpenTools } from './tools.ts';

const common = { tag: 'operations', method: 'get' } as const;

const state = (description: string, properties: Record<string, JsonSchema>) => ({
  description,
  content: { 'application/json': { schema: objectOf(properties) } },
});

export const operationRoutes = [
  route({
    ...common,
    who: 'anyone',
    path: '/healthz',
    id: 'isAlive',
    audit: { none: 'public' },
    summary: 'Alive',
    answers: {
      200: state('Alive', { status: { const: 'ok' } }),
      503: state('Its own Postgres is down', { status: { const: 'database down' } }),
    },
    handle(c, tools: OpenTools) {
      const trouble = tools.state.health.alive();
      return trouble ? c.json({ status: trouble }, 503) : c.json({ status: 'ok' });
    },
  }),
  route({
    ...common,
    who: 'anyone',
    path: '/readyz',
    id: 'isReady',
    audit: { none: 'public' },
    summary: 'Ready for requests',
    answers: {
      200: state('Ready', { status: { const: 'ready' }, queue: { type: 'string' } }),
      503: state(
        'Starting, draining, with a full disk, or without a database (in a process without the API also a queue) that it can write',
        { status: { type: 'string' } },
      ),
    },
    async handle(c, tools: OpenTools) {
      const phase = tools.state.phase();
      if (phase !== 'ready') return c.json({ status: phase }, 503);
      const trouble = await tools.state.health.ready();
      return trouble ? c.json({ status: trouble }, 503) : c.json({ status: 'ready', queue: tools.service.queues.name });
    },
  }),
  route({
    ...common,
    who: 'monitoring',
    path: '/metrics',
    id: 'readMetrics',
    audit: { none: 'shows nobody' },
    summary: 'Prometheus metrics; also with CONFAM_METRICS_TOKEN, and without a key on the operations port',
    answers: { 200: file('Metrics', 'text/plain') },
    async handle(c, tools: OpenTools) {
      const together = AggregatorRegistry.aggregate(await tools.state.metrics());
      return c.text(await together.metrics(), 200, { 'Content-Type': tools.service.metrics.registry.contentType });
    },
  }),
];

/** The operations port: the same routes, but nobody needs a key. The operator keeps it private. */
export function openOperations(tools: OpenTools): Pick<Hono, 'fetch'> {
  const app = new Hono<{ Variables: Variables }>();
  mount(app, operationRoutes, tools, { app: [], test: [], model: [], admin: [], monitoring: [], person: [], visitor: [], anyone: [] });
  return app;
}
