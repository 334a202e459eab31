/** Announcements of other processes, sent by NOTIFY as JSON. */
import type { z } from 'zod';
import type { Context } from './context.ts';

/**
 * Calls `hear` with each announcement, and `catchUp` when listening begins and after each reconnect, since announcements made meanwhile are lost. Any user of the
 * database can send one, and another release may send another shape. One that does not parse is skipped; the log says so, without its text.
 */
export const hearAnnouncements = <Shape extends z.ZodType>(
  { sql, log }: Pick<Context, 'sql' | 'log'>,
  channel: string,
  shape: Shape,
  hear: (announced: z.output<Shape>) => void,
  catchUp: () => void,
) =>
  sql.listen(
    channel,
    (payload) => {
      const announced = shape.safeParse(parseJson(payload));
      if (announced.success) hear(announced.data);
      else log.warn({ channel }, 'an announcement cannot be read');
    },
    catchUp,
  );

/** Undefined if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
