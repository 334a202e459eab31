/** A request's place in what this process does at a time (`access/admission.ts`): taken once its app is known, and free again when it is answered. */
import type { Admission } from '../access/admission.ts';
import type { Leave } from '../access/gate.ts';
import { ApiError } from '../foundation/errors.ts';
import { clientOf, type Http } from './http.ts';
import type { Place } from './place.ts';

/** Carries out the request once it has its place. `onRefusal` is called if the gate of calls has no place for it. */
export async function admitted(
  c: Http,
  admission: Admission,
  appId: string,
  answer: () => Promise<void>,
  onRefusal: () => void,
): Promise<void> {
  const isCall = c.get('route')?.isCall;
  const client = clientOf(c);
  let leave: Leave;
  try {
    leave = await (isCall ? admission.calls : admission.requests).enter(appId, client);
  } catch (error) {
    if (isCall && error instanceof ApiError) onRefusal();
    throw error;
  }
  const place: Place = { appId, client, leave, bodies: admission.bodies, held: [] };
  c.set('place', place);
  try {
    await answer();
  } finally {
    place.leave();
    for (const leaveBodies of place.held) leaveBodies();
  }
}

/** Leaves the first gate for one of the request's own, where it may wait and stay for a long time. */
export const leaveFirstGate = (c: Http): void => c.get('place')?.leave();

/** Passes the first gate again, to answer: a thousand waits that end together would otherwise take every connection at once. */
export async function passFirstGateAgain(c: Http, { requests }: Pick<Admission, 'requests'>): Promise<void> {
  const place = c.get('place');
  if (place) place.leave = await requests.enter(place.appId, place.client);
}
