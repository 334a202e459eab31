/** Reads server-sent events (WHATWG HTML, 9.2.6) from the body of an answer. `EventSource` can send neither the app's header nor a key. */
import { readChunks } from './chunks.ts';

export interface ServerEvent {
  type: string;
  data: string;
  id: string | null;
  /** How long to wait before connecting again, if the service has just said it; such an event may have no data. */
  retryMs: number | null;
}

/** The service sends a comment after 15 s without news. */
const SILENCE_MS = 45_000;

export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of readChunks(body, SILENCE_MS)) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n\r?\n/);
    rest = parts.pop()!;
    for (const part of parts) yield eventOf(part);
  }
}

function eventOf(text: string): ServerEvent {
  const event: ServerEvent = { type: 'message', data: '', id: null, retryMs: null };
  for (const line of text.split(/\r?\n/)) {
    const [, name, value = ''] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name === 'event') event.type = value;
    else if (name === 'data') event.data += event.data === '' ? value : `\n${value}`;
    else if (name === 'id') event.id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) event.retryMs = Number(value);
  }
  return event;
}
