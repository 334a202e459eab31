/** Checks the port that the service listens at. */
import { createServer } from 'node:net';
import { about, codeOf, type Finding } from '../../doctor/finding.ts';
import type { Config } from '../../foundation/config.ts';

const LOOK_MS = 2_000;

/** A port that a running Confam uses is not a fault. */
export async function checkPort({ HOST, PORT }: Config): Promise<Finding> {
  const port = about('port');
  const code = await new Promise<string | null>((done) => {
    const server = createServer();
    server.once('error', (error) => done(codeOf(error)));
    server.listen(PORT, HOST, () => server.close(() => done(null)));
  });
  if (code === null) return port.ok(PORT === 0 ? `any free port on ${HOST}` : `${PORT} on ${HOST} is free`);
  if (code === 'EADDRINUSE' && (await isConfam(HOST, PORT))) return port.ok(`${PORT} on ${HOST}: Confam is running there`);
  if (code === 'EADDRINUSE') return port.broken(`${PORT} on ${HOST} is taken by another program; stop it, or set PORT`);
  return port.broken(`${PORT} on ${HOST} is not available (${code})`);
}

async function isConfam(host: string, port: number): Promise<boolean> {
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}/healthz`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(LOOK_MS) })
    .then((response) => response.text())
    .catch(() => '');
  return answer === '{"status":"ok"}';
}
