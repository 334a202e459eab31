/** Review cases: what a person must decide about. */
import type { z } from 'zod';
import type { decideBody, reviewAnswer, reviewsQuery, reviewWithNotes } from '../contract/reviews.ts';
import { at } from './paths.ts';
import { type Stated, statedIn } from './purpose.ts';
import { keyOf, type ListQuery, type OwnKey, type Page, type Transport } from './transport.ts';

export type Review = z.infer<typeof reviewAnswer>;
export type ReviewDetail = z.infer<typeof reviewWithNotes>;
type ReviewsQuery = ListQuery<z.input<typeof reviewsQuery>>;
export type Decision = z.infer<typeof decideBody>['decision'];

const REVIEWS = 'api/v1/reviews';

export const reviewCalls = ({ send, items }: Transport) => ({
  page: (query: ReviewsQuery = {}, signal?: AbortSignal) => send<Page<Review>>('GET', REVIEWS, { query, signal }),
  all: (query: ReviewsQuery = {}, signal?: AbortSignal) => items<Review>(REVIEWS, query, signal),
  read: (id: string, signal?: AbortSignal, stated: Stated = {}) =>
    send<ReviewDetail>('GET', at(REVIEWS, id), { headers: statedIn(stated), signal }),
  /** `me`, the id of a person, or null for nobody. */
  assign: (id: string, assignee: string | null) => send<Review>('POST', at(REVIEWS, id, 'assign'), { body: { assignee } }),
  comment: (id: string, text: string, options: OwnKey = {}) =>
    send<Review>('POST', at(REVIEWS, id, 'comment'), { body: { text }, headers: keyOf(options) }),
  decide: (id: string, body: z.input<typeof decideBody>) => send<Review>('POST', at(REVIEWS, id, 'decide'), { body }),
});
