/** Checks the port that the service listens at. */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { about, codeOf, type Finding } from '../../doctor/finding.ts';
import type { Config } from '../../foundation/config.ts';

const LOOK_MS = 2_000;

/** A port that a running Confam uses is not a fault. */
export async function checkPort({ HOST, PORT, CONFAM_TLS_CERT }: Config): Promise<Finding> {
  const port = about('port');
  const code = await new Promise<string | null>((done) => {
    const server = createServer();
    server.once('error', (error) => done(codeOf(error)));
    server.listen(PORT, HOST, () => server.close(() => done(null)));
  });
  if (code === null) return port.ok(PORT === 0 ? `any free port on ${HOST}` : `${PORT} on ${HOST} is free`);
  if (code === 'EADDRINUSE' && (await isConfam(HOST, PORT, CONFAM_TLS_CERT !== undefined)))
    return port.ok(`${PORT} on ${HOST}: Confam is running there`);
  if (code === 'EADDRINUSE') return port.broken(`${PORT} on ${HOST} is taken by another program; stop it, or set PORT`);
  return port.broken(`${PORT} on ${HOST} is not available (${code})`);
}

function isConfam(host: string, port: number, isTls: boolean): Promise<boolean> {
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const asked = { host: address, port, path: '/healthz', timeout: LOOK_MS };
  return new Promise((resolve) => {
    const take = (answer: IncomingMessage) =>
      text(answer).then(
        (body) => resolve(body === '{"status":"ok"}'),
        () => resolve(false),
      );
    // The certificate is not for this address; `checkCertificate` looks at it.
    const request = isTls ? https.get({ ...asked, rejectUnauthorized: false }, take) : http.get(asked, take);
    request.on('timeout', () => request.destroy()).on('error', () => resolve(false));
  });
}
