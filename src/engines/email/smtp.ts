/**
 * One SMTP connection as a client (RFC 5321): commands, replies, and the upgrade to TLS (RFC 3207). It trusts nothing from the other side: replies
 * must be bounded, expected and in time, or the connection ends. `mailbox.ts` interprets the replies.
 */
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ADDRESS_TIMEOUT_MS, mayTalkTo } from '../../net/guarded-http.ts';

export interface Reply {
  code: number;
  /** RFC 3463: `5.1.1`. Null if the host gives none. */
  enhanced: string | null;
  /** Lines without codes. */
  lines: string[];
}

export type SmtpFault = 'timeout' | 'unreachable' | 'protocol';

/** The connection has ended. The message contains neither the address nor what the host said. */
export class SmtpTrouble extends Error {
  readonly fault: SmtpFault;
  constructor(fault: SmtpFault) {
    super(`SMTP: ${fault}`);
    this.name = 'SmtpTrouble';
    this.fault = fault;
  }
}

export interface Smtp {
  /** What the host says first. */
  greeting(): Promise<Reply>;
  command(line: string): Promise<Reply>;
  /** To be called after the reply 220 to STARTTLS. */
  startTls(): Promise<void>;
  close(): void;
}

export interface SmtpOptions {
  host: string;
  port: number;
  lookup: LookupFunction;
  allowPrivate: boolean;
  connectTimeoutMs: number;
  /** Ends the connection, whatever its state. */
  signal: AbortSignal;
}

/** RFC 5321 4.5.3.1.5, including the line end. */
const REPLY_LINE_BYTES_MAX = 512;
const REPLY_LINES_MAX = 100;
const REPLY_LINE = /^([2-5][0-9][0-9])(?:([ -])(.*))?$/;
const ENHANCED = /^([245]\.\d{1,3}\.\d{1,3})(?:\s+|$)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what would end a command early.
const CONTROLS = /[\u0000-\u001f\u007f]/;

/** Throws `SmtpTrouble`, as every method of the connection does from its first fault on. */
export async function connectSmtp(options: SmtpOptions): Promise<Smtp> {
  const { host, signal } = options;
  let socket = await openSocket(options);
  let replies = readReplies(socket);
  const expire = () => socket.destroy(new SmtpTrouble('timeout'));
  signal.addEventListener('abort', expire, { once: true });
  if (signal.aborted) expire();

  return {
    greeting: () => replies.next(),
    command(line) {
      // The caller checks what goes into a command; this is the last place to stop a second command from slipping in.
      if (CONTROLS.test(line)) throw new Error('a command contains a control character');
      const reply = replies.next();
      socket.write(`${line}\r\n`);
      return reply;
    },
    async startTls() {
      replies.detach();
      const plain = socket;
      // Certificates are not verified: mail hosts have arbitrary ones (RFC 7435), and nothing secret is sent. An eavesdropper still learns less than
      // without TLS.
      const secure = connectTls({ socket: plain, rejectUnauthorized: false, ...(!isIP(host) && { servername: host }) });
      socket = secure;
      secure.on('error', () => {});
      await new Promise<void>((resolve, reject) => {
        secure.once('secureConnect', resolve);
        const fail = (error?: Error) => reject(error instanceof SmtpTrouble ? error : new SmtpTrouble('unreachable'));
        secure.once('error', fail).once('close', () => fail());
        plain.once('error', fail);
      });
      replies = readReplies(secure);
    },
    close() {
      signal.removeEventListener('abort', expire);
      socket.destroy();
    },
  };
}

/** Connects only to an address that the guard allows. */
function openSocket({ host, port, lookup, allowPrivate, connectTimeoutMs, signal }: SmtpOptions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      lookup,
      noDelay: true,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    });
    const end = (fault: SmtpFault) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', late);
      socket.destroy();
      reject(new SmtpTrouble(fault));
    };
    const late = () => end('timeout');
    const timer = setTimeout(late, connectTimeoutMs);
    signal.addEventListener('abort', late);
    socket.on('error', () => end('unreachable'));
    socket.once('connect', () => {
      if (!mayTalkTo(socket.remoteAddress, allowPrivate)) return end('unreachable');
      clearTimeout(timer);
      signal.removeEventListener('abort', late);
      socket.removeAllListeners('error').on('error', () => {});
      resolve(socket);
    });
    if (signal.aborted) late();
  });
}

interface Replies {
  /** Must be called before the command is written. */
  next(): Promise<Reply>;
  detach(): void;
}

/**
 * Reads whole replies. Unexpected bytes are a fault: before STARTTLS they may be injected, and later it would be unclear which command they answer.
 */
function readReplies(socket: Socket): Replies {
  let text = '';
  let lines: string[] = [];
  let fault: SmtpTrouble | null = null;
  let waiting: { resolve(reply: Reply): void; reject(error: Error): void } | null = null;
  // Only the greeting may arrive before it is asked for.
  let early: Reply | null = null;
  let isFirst = true;

  function fail(error: SmtpTrouble): void {
    fault ??= error;
    socket.destroy();
    waiting?.reject(fault);
    waiting = null;
  }

  function take(chunk: Buffer): void {
    text += chunk.toString('latin1');
    for (let end = text.indexOf('\n'); end !== -1 && !fault; end = text.indexOf('\n')) {
      const line = text.slice(0, end).replace(/\r$/, '');
      text = text.slice(end + 1);
      readLine(line);
    }
    const isUnasked = text !== '' && !waiting && !isFirst;
    if (isUnasked || text.length > REPLY_LINE_BYTES_MAX) fail(new SmtpTrouble('protocol'));
  }

  function readLine(line: string): void {
    const match = REPLY_LINE.exec(line);
    lines.push(line);
    const isBad =
      !match || line.length > REPLY_LINE_BYTES_MAX - 2 || lines.length > REPLY_LINES_MAX || line.slice(0, 3) !== lines[0]!.slice(0, 3);
    if (isBad || (!waiting && !isFirst)) fail(new SmtpTrouble('protocol'));
    else if (match[2] !== '-') finish();
  }

  function finish(): void {
    const reply = replyOf(lines);
    lines = [];
    isFirst = false;
    if (waiting) waiting.resolve(reply);
    else early = reply;
    waiting = null;
  }

  const onEnd = () => fail(new SmtpTrouble('unreachable'));
  const onError = (error: Error) => fail(error instanceof SmtpTrouble ? error : new SmtpTrouble('unreachable'));
  socket.on('data', take).on('error', onError).on('end', onEnd).on('close', onEnd);

  return {
    next() {
      if (early) {
        const reply = early;
        early = null;
        return Promise.resolve(reply);
      }
      return new Promise((resolve, reject) => {
        if (fault) reject(fault);
        else waiting = { resolve, reject };
      });
    },
    detach() {
      socket.off('data', take).off('error', onError).off('end', onEnd).off('close', onEnd);
    },
  };
}

function replyOf(lines: readonly string[]): Reply {
  const texts = lines.map((line) => line.slice(4));
  const enhanced = texts.map((text) => ENHANCED.exec(text)?.[1]).find(Boolean) ?? null;
  return { code: Number(lines[0]!.slice(0, 3)), enhanced, lines: texts };
}
