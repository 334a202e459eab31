/** The app's last requests. */
import type { z } from 'zod';
import type { requestAnswer } from '../contract/requests.ts';
import type { Page, Query, Transport } from './transport.ts';

export type LoggedRequest = z.infer<typeof requestAnswer>;

export const requestCalls = ({ send }: Transport) => ({
  page: (query: Query, signal?: AbortSignal) => send<Page<LoggedRequest>>('GET', 'api/v1/requests', { query, signal }),
});
