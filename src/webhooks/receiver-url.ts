/** Refuses an endpoint's `url` or a `callback_url` that no message could ever be sent to, before anything is accepted for it. */
import type { Context } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { urlRefusal } from '../net/guarded-http.ts';

const URL_RULE =
  'must be an https URL with a public host name (not an IP address), on port 443 or 8443; the operator can allow other receivers (CONFAM_WEBHOOK_ALLOW_PRIVATE) or limit the hosts (CONFAM_WEBHOOK_HOSTS)';

/** Throws `invalid_request` if no message could ever be sent to `url`. `member`: the member that holds it. */
export function refuseReceiver({ config }: Context, url: string, member: string): void {
  const rule = urlRefusal(url, config.CONFAM_WEBHOOK_ALLOW_PRIVATE, config.CONFAM_WEBHOOK_HOSTS);
  if (rule === null) return;
  throw new ApiError('invalid_request', `${member} ${URL_RULE}`, { details: [{ path: member, message: URL_RULE, rule }] });
}
