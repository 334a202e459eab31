/** People whose data an app holds: finds all of it, and erases it. */
import type { z } from 'zod';
import type { pageQuery } from '../contract/queries.ts';
import type { erasureAnswer, exportAnswer, exportBody, holdAnswer, holdBody, placeAnswer } from '../contract/subjects.ts';
import { at } from './paths.ts';
import { fileOrApproval } from './people.ts';
import { type Purpose, type Stated, statedIn } from './purpose.ts';
import { keyOf, type ListQuery, type OwnKey, type Page, type Transport } from './transport.ts';

export type Erasure = z.infer<typeof erasureAnswer>;
export type SubjectExport = z.infer<typeof exportAnswer>;
export type SubjectPlace = z.infer<typeof placeAnswer>;
export type SubjectHold = z.infer<typeof holdAnswer>;
export type Identifier = z.input<typeof exportBody>['identifiers'][number];

type PageQuery = ListQuery<z.input<typeof pageQuery>>;

const SUBJECTS = 'api/v1/subjects';
const LISTED = 50;

export const subjectCalls = ({ send, open }: Transport) => ({
  erase: (identifiers: Identifier[], purpose: Purpose = 'subject_request', options: OwnKey = {}) =>
    send<Erasure>('POST', `${SUBJECTS}/erase`, { body: { identifiers }, headers: { ...statedIn({ purpose }), ...keyOf(options) } }),
  erasure: (id: string) => send<Erasure>('GET', at(`${SUBJECTS}/erasures`, id)),
  erasures: (query: PageQuery = {}, signal?: AbortSignal) =>
    send<Page<Erasure>>('GET', `${SUBJECTS}/erasures`, { query: { limit: LISTED, ...query }, signal }),
  /** Whether this deployment has signed exactly this receipt. */
  checkReceipt: (body: { receipt: string; signature: string }) => send<{ valid: boolean }>('POST', `${SUBJECTS}/receipts`, { body }),
  export: (body: z.input<typeof exportBody>, purpose: Purpose = 'subject_request', options: OwnKey = {}) =>
    send<SubjectExport>('POST', `${SUBJECTS}/export`, { body, headers: { ...statedIn({ purpose }), ...keyOf(options) } }),
  exports: (query: PageQuery = {}, signal?: AbortSignal) =>
    send<Page<SubjectExport>>('GET', `${SUBJECTS}/exports`, { query: { limit: LISTED, ...query }, signal }),
  /** Keeps everything about the person until it is lifted. */
  hold: (body: z.input<typeof holdBody>, purpose: Purpose = 'legal', options: OwnKey = {}) =>
    send<SubjectHold>('POST', `${SUBJECTS}/holds`, { body, headers: { ...statedIn({ purpose }), ...keyOf(options) } }),
  holds: (query: PageQuery = {}, signal?: AbortSignal) =>
    send<Page<SubjectHold>>('GET', `${SUBJECTS}/holds`, { query: { limit: LISTED, ...query }, signal }),
  liftHold: (id: string) => send<SubjectHold>('DELETE', at(`${SUBJECTS}/holds`, id)),
  /** Where an export that is done has found the person. */
  places: (id: string, { cursor, limit = LISTED, purpose }: { cursor?: string; limit?: number } & Stated = {}, signal?: AbortSignal) =>
    send<Page<SubjectPlace>>('GET', at(`${SUBJECTS}/exports`, id, 'places'), {
      query: { cursor, limit },
      headers: statedIn({ purpose }),
      signal,
    }),
  /** The file, or the approval that it waits for. */
  file: async (id: string, stated: Stated = {}) =>
    fileOrApproval(await open('GET', at(`${SUBJECTS}/exports`, id, 'file'), { headers: statedIn(stated) })),
});
