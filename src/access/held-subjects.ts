/** A condition for statements that delete: legal holds protect their subjects' rows. `lifecycle/holds.ts` places holds, and finds held people in batches. */

/** SQL condition: the subject is not a held person. `mode`: an alias with the columns app_id and live. */
export const isFreeSubject = (mode: string, subject: string): string =>
  `not exists (select 1 from subject_holds h where h.app_id = ${mode}.app_id and h.live = ${mode}.live and h.lifted_at is null and ${subject} = any(h.subjects))`;
