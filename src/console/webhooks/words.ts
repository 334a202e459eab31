/** Endpoints, deliveries and events as people read them. */
import type { Delivery, Endpoint } from '../../client/webhooks.ts';
import type { Worded } from '../format.ts';

export function endpointState({ disabled, disabled_reason, failing_since }: Endpoint): Worded {
  if (disabled)
    return {
      word: disabled_reason === 'requested' ? 'Disabled' : 'Disabled: it failed',
      tone: disabled_reason === 'requested' ? 'plain' : 'bad',
    };
  return failing_since === null ? { word: 'Enabled', tone: 'good' } : { word: 'Failing', tone: 'warn' };
}

export const deliveryStates: Readonly<Record<Delivery['status'], Worded>> = {
  pending: { word: 'Waiting', tone: 'warn' },
  sending: { word: 'Being sent', tone: 'info' },
  delivered: { word: 'Delivered', tone: 'good' },
  failed: { word: 'Given up', tone: 'bad' },
};

/** Whether its last attempt has failed and another one will follow. */
export const isFailing = ({ status, attempts }: Delivery): boolean => status === 'pending' && Boolean(attempts.at(-1)?.error);

/** The events that an endpoint may ask for, with when they are sent. */
export const eventWords: readonly (readonly [type: string, when: string])[] = [
  ['job.completed', 'A job was answered'],
  ['job.failed', 'A job failed for good'],
  ['batch.completed', 'Every row of a batch has ended'],
  ['batch.canceled', 'A batch was canceled'],
  ['batch.failed', 'A batch ended: too many of its rows failed'],
  ['batch.expired', 'A batch ended at its deadline'],
  ['batch.paused', 'A batch was paused, or lacks money'],
  ['batch.resumed', 'A batch was resumed'],
  ['batch.progress', 'Every 10 % of a batch; only if selected here'],
  ['aml.monitor.hit', 'A changed list has a hit for a monitored person'],
  ['wallet.low_balance', 'The balance fell below the threshold'],
  ['approval.requested', 'Something waits for a second person'],
  ['approval.decided', 'A second person has decided'],
  ['review.opened', 'A review case was opened; only if selected here'],
  ['review.decided', 'A review case was decided'],
  ['endpoint.disabled', 'Another endpoint was disabled'],
];

/** Why an attempt failed. */
export const errorWords = (error: string): string =>
  ERRORS[error] ?? (error.startsWith('http_') ? `The receiver answered ${error.slice('http_'.length)}.` : error);

const ERRORS: Readonly<Record<string, string>> = {
  timeout: 'The receiver did not answer in time.',
  connection: 'There was no connection to the receiver, or it broke before an answer came.',
  dns: 'The receiver’s name is unknown.',
  tls_expired: 'The receiver’s certificate has expired, or is not valid yet.',
  tls_host_name: 'The receiver’s certificate is for another host name.',
  tls_untrusted: 'The receiver’s certificate is self-signed, or was sent without its intermediate certificates.',
  tls: 'The receiver does not speak TLS, or its certificate is not valid.',
  invalid_url: 'The address is not valid.',
  https_required: 'The address must begin with https.',
  forbidden_port: 'Only the ports 443 and 8443 are allowed.',
  forbidden_address: 'This is a private address; Confam does not call those.',
  forbidden_host: 'Your administrator does not allow this host.',
  secret_unreadable: 'The secret cannot be read. Tell your administrator.',
  results_not_encrypted: 'The results could not be encrypted. Check the encryption key.',
  endpoint_disabled: 'The endpoint was disabled.',
  endpoint_deleted: 'The endpoint was deleted.',
  lost: 'The service stopped during the attempt. The attempt will be repeated.',
};

/** What an endpoint gets that names no events. */
export const MOST_EVENTS = 'All, except batch.progress and review.opened';
