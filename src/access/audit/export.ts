/**
 * Copies the audit out, as JSON lines: into a file, or as messages of syslog (RFC 5424, one a datagram over UDP, with octet counts over TCP and TLS as RFC
 * 6587 and 5425 say). A position, the last entry of each chain that was copied, lets the next export continue where this one ended.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import { connect, isIP, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectSecurely } from 'node:tls';
import { ConfigError } from '../../foundation/config.ts';
import type { Context } from '../../foundation/context.ts';
import { type StoredEntry, showEntry } from './entry.ts';
import { chainName, entriesOf } from './verify.ts';

/** By chain (`app_…` or `deployment`): the number of the last entry copied. */
export type ExportPosition = Record<string, number>;

export interface Sink {
  write(entry: StoredEntry): Promise<void>;
  close(): Promise<void>;
}

/** Writes every entry after `position`, chain by chain, and returns the position after it. */
export async function exportAudit(ctx: Pick<Context, 'sql'>, sink: Sink, position: ExportPosition): Promise<ExportPosition> {
  const reached = { ...position };
  const heads = await ctx.sql<{ appId: string; seq: number }[]>`select app_id, seq from audit_heads order by app_id`;
  for (const { appId, seq } of heads) {
    const chain = chainName(appId);
    for await (const entry of entriesOf(ctx.sql, appId, reached[chain] ?? 0, seq)) {
      await sink.write(entry);
      reached[chain] = entry.seq;
    }
  }
  return reached;
}

const asLine = (entry: StoredEntry): string => JSON.stringify(showEntry(entry));

/** Appends to the file; `-` is standard output. */
export async function openFile(path: string): Promise<Sink> {
  if (path === '-') {
    const print = async (entry: StoredEntry): Promise<void> => {
      if (!process.stdout.write(`${asLine(entry)}\n`)) await once(process.stdout, 'drain');
    };
    return { write: print, close: async () => {} };
  }
  const file = await open(path, 'a+', 0o600);
  await dropPartialLine(file);
  return {
    write: async (entry) => void (await file.appendFile(`${asLine(entry)}\n`)),
    async close() {
      await file.sync();
      await file.close();
    },
  };
}

/** Longer than any entry. */
const LINE_BYTES_MAX = 64 * 1024;

/** A full disk or a power cut can leave part of a line, whose entry is after the position and written again. Left as it is, that would be lost behind the part. */
async function dropPartialLine(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  if (size === 0) return;
  const end = Buffer.alloc(Math.min(size, LINE_BYTES_MAX));
  await file.read(end, 0, end.length, size - end.length);
  const part = end.length - (end.lastIndexOf('\n') + 1);
  if (part > 0 && part < LINE_BYTES_MAX) await file.truncate(size - part);
}

const SYSLOG_PORTS: Record<string, number> = { 'udp:': 514, 'tcp:': 601, 'tls:': 6514 };
const CONNECT_MS = 10_000;
/** Facility 13 (log audit), severity 6 (informational): RFC 5424, 6.2.1. */
const PRIORITY = 13 * 8 + 6;

/** `udp://host:514`, `tcp://host:601` or `tls://host:6514`. */
export async function openSyslog(address: string): Promise<Sink> {
  const { protocol, hostname: host, port: given } = URL.canParse(address) ? new URL(address) : { protocol: '', hostname: '', port: '' };
  const usual = SYSLOG_PORTS[protocol];
  if (usual === undefined || host === '')
    throw new ConfigError('--syslog: expected udp://host, tcp://host or tls://host, with a port if it is not the usual one');
  const port = given === '' ? usual : Number(given);
  const name = host.replace(/^\[|\]$/g, '');
  return protocol === 'udp:' ? overDatagrams(name, port) : overStream(name, port, protocol === 'tls:');
}

/** RFC 5424, 6: header, no structured data, message. */
function asSyslog(entry: StoredEntry): string {
  return `<${PRIORITY}>1 ${entry.at} ${hostname() || '-'} confam ${process.pid} ${entry.action} - ${asLine(entry)}`;
}

async function overDatagrams(host: string, port: number): Promise<Sink> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  const send = (entry: StoredEntry): Promise<void> =>
    new Promise((resolve, reject) => socket.send(asSyslog(entry), port, host, (error) => (error ? reject(error) : resolve())));
  return {
    write: send,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

async function overStream(host: string, port: number, isSecure: boolean): Promise<Sink> {
  const socket: Socket = isSecure
    ? connectSecurely({ host, port, ...(isIP(host) === 0 && { servername: host }) })
    : connect({ host, port });
  // Without a listener an error would end the process; `write` and `close` report it.
  let failure: Error | null = null;
  socket.on('error', (error) => {
    failure = error;
  });
  await once(socket, isSecure ? 'secureConnect' : 'connect', { signal: AbortSignal.timeout(CONNECT_MS) });
  return {
    async write(entry) {
      if (failure) throw failure;
      const message = asSyslog(entry);
      if (!socket.write(`${Buffer.byteLength(message)} ${message}`)) await once(socket, 'drain');
    },
    async close() {
      socket.end();
      if (!socket.closed) await once(socket, 'close');
      if (failure) throw failure;
    },
  };
}
