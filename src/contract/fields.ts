/**
 * What the shapes of answers are made of. Each shape is written once, in this folder: `contract/work-requests.ts`, `contract/webhooks.ts` and the routes make
 * answers under the compiler's eye, and `/openapi.json` shows them. Amounts are naira, instants ISO 8601 in UTC with milliseconds.
 */
import { z } from 'zod';

export const text = z.string();
export const count = z.int();
export const amount = z.number().describe('Naira');
export const instant = z.iso.datetime();
export const instantOrNull = instant.nullable();
