/** Says in a sentence why a command ended: refusals of the service, a service that is away, files and pipes that cannot be written. */
import { Refused, Unreachable } from '../../client/errors.ts';
import { CommandError, type Exit, exits } from './exits.ts';
import { json, naira, plain } from './text.ts';

interface Fault {
  exit: Exit;
  message: string;
  hint?: string | null;
  /** Members for programs (`--json`). */
  extra?: Record<string, unknown>;
}

/** Null for an error of our own. */
export function faultOf(error: unknown): Fault | null {
  if (error instanceof CommandError) return { exit: error.exit, message: error.message, hint: error.hint };
  if (error instanceof Refused) return faultOfRefusal(error);
  if (error instanceof Unreachable) return faultOfSilence(error);
  if (error instanceof Error && error.name === 'AbortError') return { exit: 'interrupted', message: 'Stopped.' };
  return faultOfFile(error as NodeJS.ErrnoException);
}

/** As `--json` prints it on standard error. */
export const faultAsJson = ({ exit, message, hint = null, extra = {} }: Fault): string =>
  json({ error: message, hint, ...extra, exit_code: exits[exit].code });

export const faultAsText = ({ message, hint }: Fault): string => plain(hint ? `${message}\n${hint}` : message, { lines: true });

const AWAY =
  /^(overloaded|unavailable|rate_limited|too_many_in_progress|too_many_misses|provider_|lists_not_loaded|idempotency_in_progress)/;

function exitOf({ code, status }: Refused): Exit {
  if (code === 'insufficient_funds' || code === 'spending_cap_exceeded' || code === 'storage_quota_exceeded') return 'money';
  if (AWAY.test(code)) return 'away';
  if (status === 404) return 'notFound';
  if (status === 401 || status === 403) return 'denied';
  return [400, 413, 415, 422].includes(status) ? 'usage' : 'failed';
}

function faultOfRefusal(refused: Refused): Fault {
  const { code, status, message, details, requestId, retryAfterSeconds, extra } = refused;
  const further = details.filter((detail) => !message.includes(detail.message));
  const lines = further
    .slice(0, DETAILS_SHOWN)
    .map(({ path, row, message }) => `  ${row === undefined ? '' : `row ${row}, `}${path}: ${message}`);
  const more = further.length > DETAILS_SHOWN ? [`  and ${further.length - DETAILS_SHOWN} more`] : [];
  const hints = [
    ...(status === 401 ? ['`confam whoami` shows which key is used, `confam login` replaces it.'] : []),
    ...moneyHint(extra),
    ...(retryAfterSeconds === null ? [] : [`Try again in ${retryAfterSeconds} s.`]),
    ...(code === 'internal' && requestId ? [`Quote the request: ${requestId}`] : []),
  ];
  return {
    exit: exitOf(refused),
    message: [message, ...lines, ...more].join('\n'),
    hint: hints.join('\n') || null,
    extra: { code, details, request_id: requestId, ...extra },
  };
}

const DETAILS_SHOWN = 10;

function moneyHint({ quote_amount, available_amount }: Record<string, unknown>): string[] {
  if (typeof quote_amount !== 'number' || typeof available_amount !== 'number') return [];
  return [`Needed: ${naira(quote_amount)}. In the wallet: ${naira(available_amount)}.`];
}

const NOT_REACHED = new Unreachable(null).message;

function faultOfSilence({ message, cause }: Unreachable): Fault {
  // It was reached, and then fell silent or was cut.
  if (message !== NOT_REACHED) return { exit: 'away', message: `${message}.`, hint: 'Try again.' };
  if (innermost(cause) instanceof SyntaxError)
    return {
      exit: 'away',
      message: 'Something answers at that address, but it is not Confam.',
      hint: 'Is the address right? `confam whoami` shows it.',
    };
  const { code, hostname, address, port } = innermost(cause) as NodeJS.ErrnoException & {
    hostname?: string;
    address?: string;
    port?: number;
  };
  const where = hostname ?? (address ? `${address}:${port}` : null);
  return {
    exit: 'away',
    message: `The service cannot be reached${where ? ` at ${where}` : ''}${code ? ` (${code})` : ''}.`,
    hint: 'Is it running? `confam start` runs one on this machine; `confam whoami` shows which address is used, `confam login` sets another.',
  };
}

/** `fetch` wraps what the socket said. */
function innermost(error: unknown): Error {
  const inner = (error as { cause?: unknown } | null)?.cause ?? (error as AggregateError | null)?.errors?.[0];
  return inner instanceof Error ? innermost(inner) : ((error ?? {}) as Error);
}

function faultOfFile({ code, path }: NodeJS.ErrnoException): Fault | null {
  const file = path ?? 'the output';
  switch (code) {
    case 'EPIPE':
      return { exit: 'output', message: 'The output ends here: the program that was reading it has gone (broken pipe).' };
    case 'ENOSPC':
    case 'EDQUOT':
      return {
        exit: 'output',
        message: `The disk is full: ${path === undefined ? 'the output is incomplete' : `${path} could not be written`}.`,
        hint: 'Make room and run the command again.',
      };
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return { exit: 'usage', message: `${file}: permission denied (${code}).` };
    case 'ENOENT':
      return { exit: 'usage', message: `${file}: no such file or folder.` };
    case 'EISDIR':
      return { exit: 'usage', message: `${file} is a folder.` };
    case 'ENOTDIR':
      return { exit: 'usage', message: `${file}: part of this path is not a folder.` };
    default:
      return path === undefined || code === undefined ? null : { exit: 'usage', message: `${path} cannot be used (${code}).` };
  }
}
