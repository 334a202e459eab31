/**
 * Gives up the connections to a Postgres that has fallen silent: its host is gone, or it stands still. TCP alone waits up to a quarter of an hour for the answer
 * of a lost host, and for ever for that of a process that was stopped.
 */
import type { Socket } from 'node:net';
import type { Log } from './log.ts';

const TICK_MS = 1_000;
/** After this many ticks without a byte from Postgres it is asked for one … */
const ASKED_AFTER = 5;
/** … and after this many it counts as silent. */
const SILENT_AFTER = 15;

export interface SilenceWatch {
  /** Watches a connection from before it is opened until it is closed. `isAsked`: it is the one that `ask` uses. */
  track(socket: Socket, isAsked?: boolean): void;
  /** Says how to ask Postgres for a sign of life, over one connection that is kept open. */
  ask(question: () => Promise<unknown>): void;
  close(): void;
}

interface Heard {
  opened: number;
  bytes: number;
  at: number;
}

/**
 * Counts in ticks of this process, so that one that was stopped for a while does not take its own absence for silence. A statement may take as long as it likes
 * while Postgres answers others. `tickMs`: shorter in tests.
 */
export function watchForSilence(log: Log, tickMs = TICK_MS): SilenceWatch {
  const sockets = new Map<Socket, Heard>();
  let now = 0;
  let lastHeard = 0;
  let question: (() => Promise<unknown>) | null = null;
  let asked: Socket | null = null;
  /** When the connection for questions was replaced. What is heard over the new one says nothing about older ones: it may lead to another host. */
  let replacedAt = 0;

  function tick(): void {
    now++;
    listen();
    if (sockets.size === 0) lastHeard = now;
    if (now - lastHeard === ASKED_AFTER) question?.().catch(() => {});
    giveUp([...sockets].filter(([, heard]) => isSilent(heard)).map(([socket]) => socket));
  }

  function listen(): void {
    for (const [socket, heard] of sockets) {
      if (socket.destroyed) sockets.delete(socket);
      else if (socket.bytesRead !== heard.bytes) {
        heard.bytes = socket.bytesRead;
        heard.at = now;
        lastHeard = now;
      }
    }
  }

  function isSilent({ opened, at }: Heard): boolean {
    if (now - Math.max(opened, lastHeard) >= SILENT_AFTER) return true;
    return at < replacedAt && now - replacedAt >= SILENT_AFTER;
  }

  function giveUp(silent: Socket[]): void {
    if (silent.length === 0) return;
    log.warn({ connections: silent.length }, 'Postgres is silent, and its connections are given up');
    for (const socket of silent) {
      socket.destroy();
      sockets.delete(socket);
    }
  }

  const timer = setInterval(tick, tickMs).unref();
  return {
    track(socket, isAsked = false) {
      sockets.set(socket, { opened: now, bytes: 0, at: now });
      if (!isAsked) return;
      if (asked !== null) replacedAt = now;
      asked = socket;
    },
    ask(how) {
      question = how;
    },
    close: () => clearInterval(timer),
  };
}
