/**
 * A name server on loopback that answers from a script, over UDP and TCP. The sandbox, the tests and the benchmarks use it in place of the real internet. It
 * imitates a recursive resolver, well-behaved or otherwise.
 */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type Answer, AUTHORITATIVE_ANSWER, type DecodedPacket, decode, encode, type Question, TRUNCATED_RESPONSE } from 'dns-packet';

/**
 * `silent`: no answer. `malformed`: a header that promises records, followed by half of one. `truncated`: "ask over TCP", where the connection is then
 * closed. An answer too large for the client's UDP limit is truncated without any fault, and is complete over TCP.
 */
export type DnsFault = 'nxdomain' | 'servfail' | 'refused' | 'silent' | 'malformed' | 'truncated';

/** The records of one name; a type that is set to a fault answers with that fault. */
export interface DnsRecords {
  mx?: readonly (readonly [preference: number, host: string])[] | DnsFault;
  a?: readonly string[] | DnsFault;
  aaaa?: readonly string[] | DnsFault;
  txt?: readonly string[] | DnsFault;
  /** If set, the name has no other record. */
  cname?: string;
  /** Default 300. */
  ttlSeconds?: number;
}

/** By full name, in lower case, without the trailing dot: `example.test`, `_dmarc.example.test`. */
export type DnsZones = Readonly<Record<string, DnsRecords | DnsFault>>;

export interface DnsServerOptions {
  /** Delay of each answer. Default 0. */
  latencyMs?: number;
  /** Default: any free port. */
  port?: number;
  /** For names without a zone. Default: `nxdomain`. */
  otherwise?: (name: string) => DnsRecords | DnsFault;
}

export interface DnsServer {
  port: number;
  /** Questions received so far. */
  questions(): number;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
/** Attempts to find one port free for both protocols: another program may use it for TCP. */
const PORT_TRIES = 20;
/** RFC 1035, 4.2.1: the UDP limit of a client that does not announce a larger one (EDNS). */
const UDP_BYTES = 512;
const TTL_SECONDS = 300;
const CHAIN_MAX = 8;
const RCODE = { servfail: 2, nxdomain: 3, refused: 5 } as const;
const RECURSION_AVAILABLE = 1 << 7;

export async function openDnsServer(zones: DnsZones, options: DnsServerOptions = {}): Promise<DnsServer> {
  const { latencyMs = 0, otherwise = () => 'nxdomain' as const } = options;
  const byName = new Map(Object.entries(zones));
  const { udp, tcp, port } = await bind(options.port ?? 0);
  const connections = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  let questions = 0;

  /** Passes the answer to `send`; null if there is none. */
  function take(message: Buffer, isTcp: boolean, send: (answer: Buffer | null) => void): void {
    const query = read(message);
    if (!query) return;
    questions += 1;
    const answer = replyTo(query, isTcp, (name) => byName.get(name) ?? otherwise(name));
    if (latencyMs === 0) send(answer);
    else {
      const timer = setTimeout(() => {
        timers.delete(timer);
        send(answer);
      }, latencyMs);
      timers.add(timer);
    }
  }

  udp.on('message', (message, { port: from, address }) => {
    take(message, false, (answer) => answer && udp.send(answer, from, address));
  });
  tcp.on('connection', (socket) => {
    connections.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => connections.delete(socket));
    readFrames(socket, (message) => {
      take(message, true, (answer) => (answer ? socket.write(frame(answer)) : socket.destroy()));
    });
  });

  return {
    port,
    questions: () => questions,
    async close() {
      for (const timer of timers) clearTimeout(timer);
      for (const socket of connections) socket.destroy();
      await Promise.all([new Promise<void>((done) => udp.close(done)), new Promise<void>((done) => tcp.close(() => done()))]);
    },
  };
}

async function bind(wanted: number): Promise<{ udp: UdpSocket; tcp: Server; port: number }> {
  for (let left = PORT_TRIES; ; left -= 1) {
    const udp = createSocket('udp4');
    udp.bind(wanted, HOST);
    await once(udp, 'listening');
    const { port } = udp.address();
    const tcp = createServer();
    tcp.listen(port, HOST);
    try {
      await once(tcp, 'listening');
      return { udp, tcp, port: (tcp.address() as AddressInfo).port };
    } catch (error) {
      udp.close();
      if (wanted !== 0 || left === 0) throw error;
    }
  }
}

/** Null: not a question that can be answered. */
function read(message: Buffer): DecodedPacket | null {
  try {
    const packet = decode(message);
    return packet.type === 'query' && packet.questions?.length === 1 ? packet : null;
  } catch {
    return null;
  }
}

type Find = (name: string) => DnsRecords | DnsFault;

/** Null: no answer is sent; over TCP the connection is closed. */
function replyTo(query: DecodedPacket, isTcp: boolean, find: Find): Buffer | null {
  const [question] = query.questions as [Question];
  const { answers, fault } = resolve(question, find);
  if (fault === 'silent' || (fault === 'truncated' && isTcp)) return null;
  if (fault === 'malformed') return cutShort(query, question);
  const rcode = fault && fault !== 'truncated' ? RCODE[fault] : 0;
  const isCut = fault === 'truncated';
  const whole = pack(query, question, answers, rcode | (isCut ? TRUNCATED_RESPONSE : 0));
  return isTcp || whole.length <= udpBytesOf(query) ? whole : pack(query, question, [], TRUNCATED_RESPONSE);
}

/** Follows CNAMEs as a resolver does, and gives up in a loop. */
function resolve({ name, type }: Question, find: Find): { answers: Answer[]; fault: DnsFault | null } {
  const answers: Answer[] = [];
  let at = name.toLowerCase();
  for (let steps = 0; steps < CHAIN_MAX; steps += 1) {
    const found = find(at);
    if (typeof found === 'string') return { answers, fault: found };
    const ttl = found.ttlSeconds ?? TTL_SECONDS;
    if (found.cname === undefined) {
      const records = recordsOf(found, type, at, ttl);
      return typeof records === 'string' ? { answers, fault: records } : { answers: [...answers, ...records], fault: null };
    }
    answers.push({ type: 'CNAME', name: at, ttl, data: found.cname });
    at = found.cname.toLowerCase();
  }
  return { answers, fault: null };
}

function recordsOf(
  { mx = [], a = [], aaaa = [], txt = [] }: DnsRecords,
  type: Question['type'],
  name: string,
  ttl: number,
): Answer[] | DnsFault {
  if (type === 'MX')
    return typeof mx === 'string' ? mx : mx.map(([preference, exchange]) => ({ type, name, ttl, data: { preference, exchange } }));
  if (type === 'A') return typeof a === 'string' ? a : a.map((data) => ({ type, name, ttl, data }));
  if (type === 'AAAA') return typeof aaaa === 'string' ? aaaa : aaaa.map((data) => ({ type, name, ttl, data }));
  if (type === 'TXT')
    return typeof txt === 'string' ? txt : txt.map((text) => ({ type, name, ttl, data: text.match(/.{1,255}/gs) ?? [''] }));
  return [];
}

const pack = ({ id = 0, flags = 0 }: DecodedPacket, question: Question, answers: Answer[], bits: number): Buffer =>
  encode({
    type: 'response',
    id,
    flags: (flags & 0x0100) | AUTHORITATIVE_ANSWER | RECURSION_AVAILABLE | bits,
    questions: [question],
    answers,
  });

/** An answer with a record, cut short. */
function cutShort(query: DecodedPacket, question: Question): Buffer {
  const whole = pack(query, question, [{ type: 'A', name: question.name, ttl: TTL_SECONDS, data: '192.0.2.1' }], 0);
  return whole.subarray(0, whole.length - 7);
}

/** The client's UDP limit, as announced by EDNS (RFC 6891). */
function udpBytesOf({ additionals = [] }: DecodedPacket): number {
  const edns = additionals.find((record) => record.type === 'OPT') as { udpPayloadSize?: number } | undefined;
  return Math.max(UDP_BYTES, edns?.udpPayloadSize ?? 0);
}

/** RFC 1035, 4.2.2: each message follows its length in two bytes. */
function readFrames(socket: Socket, onMessage: (message: Buffer) => void): void {
  let kept = Buffer.alloc(0);
  socket.on('data', (bytes) => {
    kept = Buffer.concat([kept, bytes]);
    while (kept.length >= 2 && kept.length >= 2 + kept.readUInt16BE(0)) {
      const end = 2 + kept.readUInt16BE(0);
      onMessage(kept.subarray(2, end));
      kept = kept.subarray(end);
    }
  });
}

function frame(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}
