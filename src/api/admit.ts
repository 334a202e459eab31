/** A request's place among what this process does at a time (`access/admission.ts`): taken once its app is known, and free again when it is answered. */
import type { Admission } from '../access/admission.ts';
import { clientOf, type Http } from './http.ts';
import type { Place } from './place.ts';

/** Carries the request out once it has its place. */
export async function admitted(c: Http, admission: Admission, appId: string, answer: () => Promise<void>): Promise<void> {
  const gate = c.get('route')?.isCall ? admission.calls : admission.requests;
  const client = clientOf(c);
  const place: Place = { appId, client, leave: await gate.enter(appId, client), bodies: admission.bodies, held: [] };
  c.set('place', place);
  try {
    await answer();
  } finally {
    place.leave();
    for (const leaveBodies of place.held) leaveBodies();
  }
}

/** Leaves the first gate, because the request has passed one of its own, where it may stay for long. */
export const passedOn = (c: Http): void => c.get('place')?.leave();
