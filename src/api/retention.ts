/** How long an app keeps what: read and changed by itself. */
import { changeSettings } from '../access/apps.ts';
import { patchedRetention, retentionPatch, showRetention } from '../contract/retention.ts';
import type { AppSettings } from '../schema/apps.ts';
import { authorOf } from './audited.ts';
import { callerOf, envelope } from './http.ts';
import { answer } from './openapi/operation.ts';
import { refTo } from './openapi/schema.ts';
import { route } from './route.ts';

const common = { tag: 'privacy', who: 'app', path: '/api/v1/retention' } as const;
const retention = answer('Every kind with its days', refTo('Retention'));

export const retentionRoutes = [
  route({
    ...common,
    method: 'get',
    id: 'readRetention',
    scope: 'results:read',
    audit: { none: 'shows nobody' },
    summary: 'How many days the app keeps each kind of data, by mode',
    answers: { 200: retention },
    handle: (c) => envelope(c, showRetention(callerOf(c).settings)),
  }),
  route({
    ...common,
    method: 'patch',
    id: 'changeRetention',
    scope: 'privacy',
    audit: { change: 'app.settings' },
    summary: 'Keep data for a shorter or longer time; null restores the default',
    description:
      'For both modes, whichever key is used. What is older than a shortened time is deleted within minutes, and cannot be brought back.',
    body: { schema: retentionPatch, example: { live: { batches: 90, invalid_rows: 7 }, test: { batches: 7 } } },
    answers: { 200: retention },
    async handle(c, { service, forgetKeys, body }) {
      const { appId } = callerOf(c);
      const changed = await service.sql.begin(async (tx) => {
        const [app] = await tx<{ settings: AppSettings }[]>`select settings from apps where id = ${appId} for no key update`;
        return changeSettings(tx, appId, { retention: patchedRetention(app!.settings, body) }, authorOf(c));
      });
      forgetKeys();
      return envelope(c, showRetention(changed!.settings));
    },
  }),
];
