/** Settings that the people of an app change themselves: what needs a second person, a reason or a second factor, and what may go outside. */
import { changeSettings } from '../access/apps.ts';
import { ask } from '../approvals/approvals.ts';
import { hasApprovals, loosens, settingsOf, settingsPatch, showSettings, stateOf } from '../contract/approvals.ts';
import { ApiError } from '../foundation/errors.ts';
import { showId } from '../foundation/ids.ts';
import { waiting, waitsForApproval } from './asking.ts';
import { authorOf } from './audited.ts';
import { callerOf, envelope } from './http.ts';
import { answer } from './openapi/operation.ts';
import { refTo } from './openapi/schema.ts';
import { route } from './route.ts';

const common = { tag: 'people', who: 'app', path: '/api/v1/settings' } as const;

const settings = answer('The settings', refTo('Settings'));

export const settingsRoutes = [
  route({
    ...common,
    method: 'get',
    id: 'readSettings',
    scope: 'results:read',
    audit: { none: 'shows nobody' },
    summary: 'What needs a second person, a reason or a second factor in this app, and what may go outside',
    answers: { 200: settings },
    handle: (c, { service }) => envelope(c, showSettings(callerOf(c).settings, service.config.CONFAM_EMAIL_OUTSIDE ?? false)),
  }),
  route({
    ...common,
    method: 'patch',
    id: 'changeSettings',
    scope: 'people',
    peopleOnly: true,
    audit: { change: 'app.settings' },
    summary: 'Change what needs a second person, a reason or a second factor, or what may go outside',
    description: 'Only people do. Where anything needs an approval, so does loosening these settings.',
    body: { schema: settingsPatch, example: { approvals: { batch_start_above_kobo: 5_000_000 } } },
    answers: { 200: settings, 202: waitsForApproval },
    async handle(c, { service, forgetKeys, body }) {
      if (!c.get('session')) throw new ApiError('forbidden', 'Only people can change this: sign in instead of using a key');
      const { appId } = callerOf(c);
      const by = authorOf(c);
      const patch = settingsOf(body);
      const done = await service.sql.begin(async (tx) => {
        const [app] = await tx<
          { settings: Parameters<typeof showSettings>[0] }[]
        >`select settings from apps where id = ${appId} for no key update`;
        if (body.outside?.shared_cache && app!.settings.cacheScope !== 'deployment')
          throw new ApiError('forbidden', 'The operator does not offer this app the shared cache');
        if (!(hasApprovals(app!.settings) && loosens(app!.settings, patch, service.config.CONFAM_EMAIL_OUTSIDE ?? false)))
          return { changed: await changeSettings(tx, appId, patch, by) };
        const state = stateOf(app!.settings, patch);
        const asked = { appId, live: null, action: 'change_settings', target: showId('app', appId), terms: body, state } as const;
        return { approval: await ask(service, tx, by, asked) };
      });
      if ('approval' in done) return waiting(c, done.approval!);
      forgetKeys();
      return envelope(c, showSettings(done.changed!.settings, service.config.CONFAM_EMAIL_OUTSIDE ?? false));
    },
  }),
];
