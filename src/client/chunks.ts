/** The bytes of an answer as they come. A connection that falls silent without closing counts as lost. */
import { Unreachable } from './errors.ts';

/** Throws `Unreachable` if the connection is cut, or if nothing comes for `silenceMs` while a reader waits. */
export async function* readChunks(body: ReadableStream<Uint8Array>, silenceMs: number): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Unreachable(null, `The service has sent nothing for ${silenceMs / 1000} s`)), silenceMs);
      });
      const { done, value } = await Promise.race([reader.read(), silence])
        .catch((error: unknown) => {
          throw error instanceof Unreachable ? error : new Unreachable(error, 'The connection was cut');
        })
        .finally(() => clearTimeout(timer));
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
