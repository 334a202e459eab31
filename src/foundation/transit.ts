/** A key service with the HTTP interface of Vault's transit engine, which OpenBao has too: https://developer.hashicorp.com/vault/api-docs/secret/transit */
import { z } from 'zod';
import { KeyFault } from './crypto.ts';
import type { KeyService } from './wrapping.ts';

interface TransitSettings {
  /** Of the engine's mount, such as `https://vault:8200/v1/transit`. */
  url: string;
  key: string;
  token: string;
}

const TIMEOUT_MS = 5_000;
/** Keys in one request. */
const BATCH_MAX = 500;

const results = z.object({
  data: z.object({
    batch_results: z.array(z.object({ ciphertext: z.string().optional(), plaintext: z.string().optional(), error: z.string().optional() })),
  }),
});
const versions = z.object({ data: z.object({ latest_version: z.int() }) });

export function openTransit({ url, key, token }: TransitSettings): KeyService {
  const base = url.replace(/\/$/, '');

  async function ask<Answer>(path: string, answer: z.ZodType<Answer>, body?: unknown): Promise<Answer> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${base}/${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'X-Vault-Token': token, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
        body: body === undefined ? null : JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      text = await response.text();
    } catch (error) {
      throw new KeyFault('The key service (CONFAM_TRANSIT_URL) does not answer', { isPassing: true, cause: error });
    }
    // A batch with some failures has status 400, and states the result of each.
    const parsed = answer.safeParse(jsonOf(text));
    if (parsed.success && (response.ok || response.status === 400)) return parsed.data;
    throw new KeyFault(`The key service (CONFAM_TRANSIT_URL) answers ${response.status}`, { isPassing: response.status >= 429 });
  }

  async function batch<Item>(operation: string, items: readonly Item[], toInput: (item: Item) => object) {
    const answers: z.infer<typeof results>['data']['batch_results'] = [];
    for (let at = 0; at < items.length; at += BATCH_MAX) {
      const some = items.slice(at, at + BATCH_MAX);
      const { data } = await ask(`${operation}/${key}`, results, { batch_input: some.map(toInput) });
      if (data.batch_results.length !== some.length)
        throw new KeyFault('The key service (CONFAM_TRANSIT_URL) returned different keys from those requested');
      answers.push(...data.batch_results);
    }
    return answers;
  }

  return {
    async encrypt(plain) {
      const answers = await batch('encrypt', plain, (bytes) => ({ plaintext: bytes.toString('base64') }));
      return answers.map(({ ciphertext }) => {
        if (!ciphertext) throw new KeyFault('The key service (CONFAM_TRANSIT_URL) does not encrypt');
        return ciphertext;
      });
    },
    async decrypt(sealed) {
      const answers = await batch('decrypt', sealed, (ciphertext) => ({ ciphertext }));
      return answers.map(({ plaintext, error }) =>
        plaintext ? Buffer.from(plaintext, 'base64') : { refused: error || 'without a reason' },
      );
    },
    async rewrap(sealed) {
      const answers = await batch('rewrap', sealed, (ciphertext) => ({ ciphertext }));
      return answers.map(({ ciphertext, error }) => ciphertext || { refused: error || 'without a reason' });
    },
    async current() {
      const { data } = await ask(`keys/${key}`, versions);
      return `transit:${key}:v${data.latest_version}`;
    },
    nameOf: (sealed) => `transit:${key}:${sealed.split(':')[1] ?? ''}`,
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
