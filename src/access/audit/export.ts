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

/** What the file or the receiver does wrong must not pass for a fault of the database, whose errors have the same codes. */
const blame =
  (says: string) =>
  (error: NodeJS.ErrnoException): never => {
    throw new ConfigError(`${says} (${error.name === 'AbortError' ? 'ETIMEDOUT' : (error.code ?? error.message)})`);
  };

const blaming = ({ write, close }: Sink, says: string): Sink => ({
  write: (entry) => write(entry).catch(blame(says)),
  close: () => close().catch(blame(says)),
});

const asLine = (entry: StoredEntry): string => JSON.stringify(showEntry(entry));

/** Appends to the file; `-` is standard output. */
export async function openFile(path: string): Promise<Sink> {
  if (path === '-') {
    const print = async (entry: StoredEntry): Promise<void> => {
      if (!process.stdout.write(`${asLine(entry)}\n`)) await once(process.stdout, 'drain');
    };
    return { write: print, close: async () => {} };
  }
  const says = `--file: ${path} cannot be written`;
  const file = await open(path, 'a+', 0o600).catch(blame(says));
  await dropPartialLine(file);
  const append: Sink = {
    write: async (entry) => void (await file.appendFile(`${asLine(entry)}\n`)),
    async close() {
      await file.sync();
      await file.close();
    },
  };
  return blaming(append, says);
}

/** Longer than any entry. */
const LINE_BYTES_MAX = 64 * 1024;

/**
 * A full disk or a power cut can leave part of a line at the end of the file. Its entry comes after the position, so it is written again; glued to that part it would be
 * lost.
 */
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
/** A receiver that takes nothing for this long is given up. */
const STALL_MS = 30_000;
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
  const opening = protocol === 'udp:' ? overDatagrams(name, port) : overStream(name, port, protocol === 'tls:');
  return blaming(
    await opening.catch(blame(`--syslog: no connection to ${address}`)),
    `--syslog: ${address} did not take every entry; run the same command again`,
  );
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
  let isEnding = false;
  const fail = (code: string) => Object.assign(new Error('the receiver ended the connection, or takes nothing'), { code });
  socket.on('error', (error) => {
    failure = error;
  });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      if (!isEnding) failure ??= fail('ECONNRESET');
      resolve();
    });
  });
  await once(socket, isSecure ? 'secureConnect' : 'connect', { signal: AbortSignal.timeout(CONNECT_MS) });
  socket.setTimeout(STALL_MS, () => socket.destroy(fail('ETIMEDOUT')));
  return {
    async write(entry) {
      const message = asSyslog(entry);
      if (!socket.write(`${Buffer.byteLength(message)} ${message}`)) await Promise.race([once(socket, 'drain'), closed]);
      if (failure) throw failure;
    },
    async close() {
      isEnding = true;
      socket.end();
      await closed;
      if (failure) throw failure;
    },
  };
}
