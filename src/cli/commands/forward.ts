/** Passes a webhook on to a server of the developer's, byte for byte. */
import { CommandError } from '../terminal/exits.ts';

export interface Forwarded {
  /** Null: no answer. */
  status: number | null;
  error: string | null;
  ms: number;
}

/** As the service itself waits. */
const TIMEOUT_MS = 15_000;

export function forwardTarget(text: string): string {
  // `localhost:3000/hook` reads as a URL with the scheme `localhost:`.
  const url = /^https?:\/\//.test(text) ? text : `http://${text}`;
  if (!URL.canParse(url)) throw new CommandError('usage', `${text} is not an address such as http://localhost:3000/confam`);
  return new URL(url).href;
}

export async function forward(url: string, headers: Record<string, string>, body: string): Promise<Forwarded> {
  const began = performance.now();
  const ms = () => Math.round(performance.now() - began);
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.body?.cancel();
    return { status: response.status, error: null, ms: ms() };
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    return { status: null, error: name === 'TimeoutError' ? 'no answer in time' : (cause?.code ?? 'no answer'), ms: ms() };
  }
}
