/** For load balancers and monitoring: alive, ready, metrics. */
import { Hono } from 'hono';
import type { Service } from '../service.ts';
import type { Variables } from './http.ts';

export function operationRoutes(service: Service, isDraining: () => boolean) {
  return new Hono<{ Variables: Variables }>()
    .get('/healthz', (c) => c.json({ status: 'ok' }))
    .get('/readyz', async (c) => {
      if (isDraining()) return c.json({ status: 'draining' }, 503);
      try {
        await service.sql`select 1`;
        return c.json({ status: 'ready', queue: service.queues.name });
      } catch {
        return c.json({ status: 'database unreachable' }, 503);
      }
    })
    .get('/metrics', async (c) => {
      service.router.measure();
      return c.text(await service.metrics.registry.metrics(), 200, { 'Content-Type': service.metrics.registry.contentType });
    });
}
