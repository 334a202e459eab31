/** What is happening now in an app, in one answer. */

import type { Overview } from '../pipeline/overview.ts';
import { authorOf } from './audited.ts';
import { etag, ifNoneMatch, tagged, tagOf, unchanged } from './etag.ts';
import { callerOf } from './http.ts';
import { answer } from './openapi/operation.ts';
import { refTo } from './openapi/schema.ts';
import { route } from './route.ts';

export const overviewRoutes = [
  route({
    tag: 'requests',
    who: 'app',
    scope: 'results:read',
    method: 'get',
    path: '/api/v1/overview',
    id: 'readOverview',
    audit: { none: 'shows nobody' },
    summary: 'What is happening now: open batches, outcomes, refusals, money, who answers, webhooks that fail',
    parameters: [ifNoneMatch],
    answers: { 200: answer('The overview, at most a second old', refTo('Overview'), etag), 304: unchanged },
    async handle(c, { overviews }) {
      const overview = await overviews.read(callerOf(c), authorOf(c).actor.id);
      return tagged(c, tagOf(stateOf(overview)), overview);
    },
  }),
];

/** Without estimates, which change with the clock. */
const stateOf = ({ batches, services, ...rest }: Overview) => ({
  ...rest,
  batches: {
    ...batches,
    data: batches.data.map(({ progress, next_attempt_at: _, ...batch }) => ({ ...batch, percent: progress.percent })),
  },
  services: services.map(({ next_attempt_at: _, ...service }) => service),
});
