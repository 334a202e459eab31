/** Signed links to files of batches: for the app that makes them, and for their holders. */
import type { z } from 'zod';
import type { linkAnswer, linkSummaryAnswer, linksQuery, madeLinkAnswer } from '../contract/results.ts';
import { at } from './paths.ts';
import type { ListQuery, Page, Transport } from './transport.ts';

export type Link = z.infer<typeof linkAnswer>;
export type MadeLink = z.infer<typeof madeLinkAnswer>;
export type LinkSummary = z.infer<typeof linkSummaryAnswer>;

const LINKS = 'api/v1/links';

export const linkCalls = ({ send, addressed }: Transport) => ({
  page: (batch: string, query: ListQuery<z.input<typeof linksQuery>> = {}, signal?: AbortSignal) =>
    send<Page<MadeLink>>('GET', at('api/v1/batches', batch, 'links'), { query, signal }),
  revoke: (id: string) => send<unknown>('POST', at(LINKS, id, 'revoke')),
  summary: (token: string, signal?: AbortSignal) => send<LinkSummary>('GET', at(LINKS, token, 'summary'), { signal }),
  fileUrl: (token: string) => addressed(at(LINKS, token)).url,
});
