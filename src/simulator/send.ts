/** Sends an answer: as it is, or spoilt by its request's fault. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Decision } from './behaviour.ts';
import { type Entity, findOther } from './questions.ts';
import type { Reply } from './replies.ts';

/** Pieces of a body that is sent slowly. */
const PIECES = 10;

/** An answer as it goes over the wire. */
interface Written {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** Time that the body takes; 0: it is sent with its headers. */
  bodyMs: number;
}

export async function write(reply: Reply, { fault, wrongKind, settings }: Decision): Promise<Written> {
  const { status, headers } = reply;
  if (wrongKind === 'html') return written(200, { 'Content-Type': 'text/html' }, PAGE);
  if (wrongKind === 'empty') return written(200, {}, '');
  const text = JSON.stringify(wrongKind ? await wrongBody(reply, wrongKind) : reply.body);
  if (fault === 'malformed') return written(status, headers, text.slice(0, text.length / 2));
  return written(status, headers, text, fault === 'slow_body' ? settings.slow_body!.ms : 0);
}

const PAGE = '<html><body><h1>Scheduled maintenance</h1></body></html>';

const written = (status: number, headers: Record<string, string>, text: string, bodyMs = 0): Written => {
  const body = Buffer.from(text);
  return { status, headers: { 'Content-Type': 'application/json', 'Content-Length': String(body.byteLength), ...headers }, body, bodyMs };
};

export async function send(response: ServerResponse, { status, headers, body, bodyMs }: Written): Promise<void> {
  response.writeHead(status, headers);
  if (bodyMs > 0) {
    response.flushHeaders();
    const size = Math.ceil(body.byteLength / PIECES);
    for (let at = 0; at < body.byteLength; at += size) {
      await sleep(bodyMs / PIECES);
      if (response.destroyed) return;
      response.write(body.subarray(at, at + size));
    }
    response.end();
  } else response.end(body);
}

async function wrongBody({ body, found }: Reply, kind: 'other_subject' | 'missing_name' | 'wrong_type'): Promise<object> {
  if (!found) return body;
  const wrong = kind === 'other_subject' ? await findOther(found.question) : renamed(found.entity, kind);
  return wrong ? found.with(wrong) : body;
}

/** Registries' names for the name of a person or company; names that not everybody has are left out. */
const NAMES = new Set([
  'firstname',
  'first_name',
  'surname',
  'last_name',
  'full_name',
  'registered_name',
  'company_name',
  'taxpayer_name',
  'name',
]);

const renamed = (entity: Entity, kind: 'missing_name' | 'wrong_type'): Entity =>
  Object.fromEntries(
    Object.entries(entity).flatMap(([member, value]) => {
      if (!NAMES.has(member)) return [[member, value]];
      return kind === 'missing_name' ? [] : [[member, [value]]];
    }),
  );
