/** A server with the interface of Vault's transit engine: versions of a key, batches, a token. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TransitServer {
  url: string;
  token: string;
  /** Requests so far, by path. */
  asked: string[];
  /** Makes a new version of the key. */
  rotate(): void;
  /** Refuses what versions before `version` have encrypted. */
  forget(version: number): void;
  close(): Promise<void>;
}

export async function startTransit(key = 'confam'): Promise<TransitServer> {
  const token = randomBytes(16).toString('hex');
  const versions = [randomBytes(32)];
  const asked: string[] = [];
  let oldest = 1;

  function encrypt(plaintext: string): { ciphertext: string; key_version: number } {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', versions.at(-1)!, nonce);
    const sealed = Buffer.concat([nonce, cipher.update(Buffer.from(plaintext, 'base64')), cipher.final(), cipher.getAuthTag()]);
    return { ciphertext: `vault:v${versions.length}:${sealed.toString('base64')}`, key_version: versions.length };
  }
  function decrypt(ciphertext: string): { plaintext: string } | { error: string } {
    const [, version = '', text = ''] = ciphertext.split(':');
    const number = Number(version.slice(1));
    if (number < oldest) return { error: 'ciphertext or signature version is disallowed by policy (too old)' };
    const sealed = Buffer.from(text, 'base64');
    const known = versions[number - 1];
    if (!known) return { error: 'invalid ciphertext: no such key version' };
    const opener = createDecipheriv('aes-256-gcm', known, sealed.subarray(0, 12)).setAuthTag(sealed.subarray(-16));
    try {
      return { plaintext: Buffer.concat([opener.update(sealed.subarray(12, -16)), opener.final()]).toString('base64') };
    } catch {
      return { error: 'invalid ciphertext: unable to decrypt' };
    }
  }
  const rewrap = (ciphertext: string) => {
    const opened = decrypt(ciphertext);
    return 'error' in opened ? opened : encrypt(opened.plaintext);
  };

  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const path = (request.url ?? '').replace('/v1/transit/', '');
    asked.push(path);
    const answer = (status: number, content: unknown) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(content));
    };
    if (request.headers['x-vault-token'] !== token) return answer(403, { errors: ['permission denied'] });
    if (request.method === 'GET' && path === `keys/${key}`) return answer(200, { data: { name: key, latest_version: versions.length } });
    const operations: Record<string, (item: Record<string, string>) => object> = {
      [`encrypt/${key}`]: ({ plaintext }) => encrypt(plaintext!),
      [`decrypt/${key}`]: ({ ciphertext }) => decrypt(ciphertext!),
      [`rewrap/${key}`]: ({ ciphertext }) => rewrap(ciphertext!),
    };
    const operation = operations[path];
    if (request.method !== 'POST' || !operation) return answer(404, { errors: [] });
    const results = (JSON.parse(body) as { batch_input: Record<string, string>[] }).batch_input.map(operation);
    // As Vault does: 400 if any of them fails, with what came of the others.
    return answer(results.some((result) => 'error' in result) ? 400 : 200, { data: { batch_results: results } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/transit`,
    token,
    asked,
    rotate: () => void versions.push(randomBytes(32)),
    forget: (version) => {
      oldest = version;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
