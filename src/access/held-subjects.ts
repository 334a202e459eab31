/** Whether a row's subject is under a legal hold, as a condition for statements that delete. `lifecycle/holds.ts` places holds, and finds held people in rows of batches. */

/** SQL condition: the subject is not a held person. `mode`: an alias with the columns app_id and live. */
export const isFreeSubject = (mode: string, subject: string): string =>
  `not exists (select 1 from subject_holds h where h.app_id = ${mode}.app_id and h.live = ${mode}.live and h.lifted_at is null and ${subject} = any(h.subjects))`;
