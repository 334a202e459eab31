/** Who submitted a job or a batch, as answers show it. Only its id is stored; `access/submitters.ts` reads the name when it is shown. */
import { z } from 'zod';
import { text } from './fields.ts';

/** As stored. Both null: unknown. */
export interface Submitter {
  keyId: string | null;
  personId: string | null;
}

/** `name`: which name is shown. */
export const creator = (name: string) =>
  z.object({ kind: z.enum(['key', 'person']), id: text.describe('key_… or per_…'), name: text.nullable().describe(name) });

export const createdBy = creator(
  'As it is now; of a person without a name, the e-mail address. Null: a key without a name, or a person who has left',
)
  .nullable()
  .optional()
  .describe('Who submitted it; null: not known, as an earlier release accepted it. Webhooks leave it out');

export type CreatedBy = NonNullable<z.infer<typeof createdBy>> | null;
