/** How values are written: naira, counts, times in Lagos, sizes, and the words of states. */
import type { Batch, BatchStatus, Job } from '../client/client.ts';
import { isJobOver } from '../client/jobs.ts';
import { isCompared } from './job/compared.ts';

export const DAY_MS = 86_400_000;

const money = new Intl.NumberFormat('en-NG', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const whole = new Intl.NumberFormat('en-NG');

/** `₦1,234.50` */
export const naira = (amount: number): string => `${amount < 0 ? '−' : ''}₦${money.format(Math.abs(amount))}`;

export const count = (value: number): string => whole.format(value);

export const counted = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`;

/** A number a second: `0.4`, `12`, `4,887` */
export const rate = (perSecond: number): string => count(perSecond < 10 ? Math.round(perSecond * 10) / 10 : Math.round(perSecond));

const parts = (zone: string, more: Intl.DateTimeFormatOptions = {}) =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...more,
  });
const lagos = parts('Africa/Lagos');
const lagosSeconds = parts('Africa/Lagos', { second: '2-digit' });
const hours = new Intl.DateTimeFormat('en-GB', { timeZone: 'Africa/Lagos', timeStyle: 'medium', hourCycle: 'h23' });
const utc = parts('UTC', { second: '2-digit' });

/** `22 Nov 2026 14:05 WAT` */
export const time = (iso: string): string => `${plain(lagos, iso)} WAT`;
/** `22 Nov 2026 14:05:09 WAT`, where things follow each other within a minute */
export const timeExact = (iso: string): string => `${plain(lagosSeconds, iso)} WAT`;
export const timeUtc = (iso: string): string => `${plain(utc, iso)} UTC`;

/** `14:05:09 WAT`, where the day is clear */
export const clock = (iso: string): string => `${hours.format(new Date(iso))} WAT`;

const plain = (format: Intl.DateTimeFormat, iso: string): string => format.format(new Date(iso)).replace(',', '').replace('Sept', 'Sep');

/** `8 s`, `3 min 20 s`, `2 h 5 min` */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))}\u00a0s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}\u00a0min${seconds % 60 >= 1 && minutes < 10 ? ` ${Math.floor(seconds % 60)}\u00a0s` : ''}`;
  return `${Math.floor(minutes / 60)}\u00a0h${minutes % 60 > 0 ? ` ${minutes % 60}\u00a0min` : ''}`;
}

/** How long to wait: `45 s`, `15 min`. Rounded up to whole minutes from one minute on, so that nobody comes back too early. */
export const waitFor = (seconds: number): string => duration(seconds < 60 ? seconds : Math.ceil(seconds / 60) * 60);

/** `840 ms`, `12 s`, `3 min 20 s` */
export const took = (ms: number): string => (ms < 10_000 ? `${count(ms)}\u00a0ms` : duration(ms / 1000));

/** `12.4 MB` */
export function bytes(size: number): string {
  if (size < 1000) return `${size} bytes`;
  const units = ['kB', 'MB', 'GB'];
  const at = Math.min(units.length - 1, Math.floor(Math.log10(size) / 3) - 1);
  return `${(size / 1000 ** (at + 1)).toFixed(1)} ${units[at]}`;
}

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain';

/** A state as people read it. The shape says the same as the colour. */
export interface Worded {
  word: string;
  tone: Tone;
}

export const SHAPES: Readonly<Record<Tone, string>> = { good: '●', warn: '▲', bad: '■', info: '◆', plain: '○' };

export const batchStates: Readonly<Record<BatchStatus, Worded>> = {
  awaiting_start: { word: 'Not started', tone: 'warn' },
  queued: { word: 'Queued', tone: 'info' },
  running: { word: 'Running', tone: 'info' },
  paused: { word: 'Paused', tone: 'warn' },
  paused_funds: { word: 'Paused: no money', tone: 'warn' },
  completed: { word: 'Completed', tone: 'good' },
  canceling: { word: 'Canceling', tone: 'plain' },
  canceled: { word: 'Canceled', tone: 'plain' },
  failed: { word: 'Failed', tone: 'bad' },
  expired: { word: 'Expired', tone: 'bad' },
  deleting: { word: 'Being deleted', tone: 'plain' },
  deleted: { word: 'Deleted', tone: 'plain' },
};

/** A batch that waits to be started may wait for a second person. */
export const batchState = ({ status, approval }: Pick<Batch, 'status' | 'approval'>): Worded =>
  status === 'awaiting_start' && approval !== null ? { word: 'Waits for approval', tone: 'warn' } : batchStates[status];

/** How many checks of a batch were made, once it has ended without making all of them; null otherwise. */
export const madeOf = ({ counts: { jobs, canceled, queued, leased } }: Pick<Batch, 'counts'>): number | null =>
  canceled > 0 && queued + leased === 0 ? jobs - canceled : null;

/**
 * A duplicate has the state of its original. The state of a screening depends on its hits, and that of a match on what agrees: the outcome of both is
 * always `found`.
 */
export function jobState(job: Pick<Job, 'status' | 'outcome' | 'flagged' | 'error' | 'completed_at' | 'result' | 'cleared'>): Worded {
  if (!isJobOver(job)) return IN_WORK[job.status] ?? IN_WORK.queued!;
  if (job.error !== null) return FAILED;
  return (job.outcome === 'found' && toldBy(job.result, job.cleared)) || outcomeState(job);
}

/** The state of a result that was found. */
export const resultState = (result: Job['result']): Worded => toldBy(result) ?? outcomeState({ outcome: 'found', flagged: false });

/** Null for a result that neither screened nor compared. */
const toldBy = (result: Job['result'], cleared?: Job['cleared']): Worded | null => hitsIn(result, cleared) ?? comparisonsIn(result);

/** The state of a job of which only the status and the outcome are known. */
export const plainState = ({ status, outcome }: Pick<Job, 'status' | 'outcome'>): Worded =>
  IN_WORK[status] ?? (status === 'failed' ? FAILED : outcomeState({ outcome, flagged: false }));

const IN_WORK: Readonly<Partial<Record<Job['status'], Worded>>> = {
  queued: { word: 'Waiting', tone: 'plain' },
  leased: { word: 'In progress', tone: 'plain' },
};

const FAILED: Worded = { word: 'Failed', tone: 'bad' };

/** The state of a job that is over and has not failed. */
function outcomeState({ outcome, flagged }: Pick<Job, 'outcome' | 'flagged'>): Worded {
  if (flagged) return { word: 'Found, flagged', tone: 'warn' };
  if (outcome === 'found') return { word: 'Found', tone: 'good' };
  if (outcome === 'not_found') return { word: 'Not found', tone: 'info' };
  return { word: 'Canceled', tone: 'plain' };
}

interface Screened {
  risk_level: string;
  total_hits: number;
  sanctions_match: boolean;
  hits?: ShownHit[];
}

interface ShownHit {
  category: string;
  cleared: object | null;
}

/** Null unless it is the result of a screening, of one party or of a company with all its parties. `cleared`: what holds now, whatever the result says. */
function hitsIn(result: Job['result'], cleared?: Job['cleared']): Worded | null {
  const found = (result?.overall_risk ?? result ?? {}) as Partial<Screened>;
  const { total_hits } = found;
  if (found.risk_level === undefined || total_hits === undefined) return null;
  if (total_hits === 0) return { word: 'No hits', tone: 'good' };
  const hits = result?.overall_risk ? hitsOfCompany(result, cleared) : hitsNow(found.hits, cleared);
  const open = hits.filter(({ isCleared }) => !isCleared);
  const done = hits.length - open.length;
  if (done === total_hits) return { word: `${counted(total_hits, 'hit')}, cleared`, tone: 'good' };
  const level = cleared?.risk_level ?? found.risk_level;
  const isSanctioned = cleared?.risk_level ? open.some(({ category }) => category === 'sanction') : found.sanctions_match;
  const isGrave = isSanctioned || level === 'HIGH' || level === 'CRITICAL';
  const told = done === 0 ? counted(total_hits, 'hit') : `${counted(total_hits, 'hit')} (${count(done)} cleared)`;
  return { word: `${told}, ${level.toLowerCase()}`, tone: isGrave ? 'bad' : 'warn' };
}

interface HitNow {
  category: string;
  isCleared: boolean;
}

const hitsNow = (hits: readonly ShownHit[] = [], cleared?: { hits: number[] }): HitNow[] =>
  hits.map((hit, at) => ({ category: hit.category, isCleared: cleared ? cleared.hits.includes(at) : Boolean(hit.cleared) }));

/** Of the company and of each different party with hits. Empty if `cleared` is not known. */
function hitsOfCompany(result: NonNullable<Job['result']>, cleared: Job['cleared']): HitNow[] {
  if (!cleared) return [];
  const all = (cleared.parties ?? []).flatMap((party) => {
    const [role = '', place] = (party.at[0] ?? '').split('.');
    const parties = [result[role]].flat() as ({ screening?: Screened | null } | null | undefined)[];
    return hitsNow(parties[Number(place ?? 0)]?.screening?.hits, party);
  });
  return [...hitsNow((result.screening as Screened | undefined)?.hits, cleared), ...all];
}

/** Null unless it is the result of a match that compared something. The number that was looked up always agrees, and so does not count. */
function comparisonsIn(result: Job['result']): Worded | null {
  const compared = Object.entries(result ?? {}).flatMap(([name, member]) => (name !== 'bvn' && isCompared(member) ? [member.status] : []));
  if (compared.length === 0) return null;
  const differing = compared.filter((agrees) => !agrees).length;
  if (differing === 0) return { word: 'All agree', tone: 'good' };
  return { word: `${count(differing)} of ${count(compared.length)} ${differing === 1 ? 'differs' : 'differ'}`, tone: 'warn' };
}

/** What an outcome `found` says of these checks: a screening finds something out about everybody, hit or no hit. */
export const foundWord = (checks: readonly string[]): string =>
  checks.every((check) => check.endsWith('_screening')) ? 'Screened' : 'Found';

/** `nin_basic` → `NIN basic` */
export const checkName = (id: string): string => {
  const words = id.split('_').map((word) => (ABBREVIATIONS.has(word) ? word.toUpperCase() : (SPELLINGS[word] ?? word)));
  return words.join(' ').replace(/^./, (letter) => letter.toUpperCase());
};

const SPELLINGS: Readonly<Record<string, string>> = { photoid: 'photo ID', email: 'e-mail', drivers: 'driver’s', license: 'licence' };

const ABBREVIATIONS: ReadonlySet<string> = new Set(['nin', 'bvn', 'cac', 'tin', 'aml', 'pep', 'vin', 'id', 'tiv', 'pvc']);

/** `record_not_found` → `Record not found` */
export const codeWords = (code: string): string => code.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase());

/** The end of an id: its beginning is a time that neighbours share. */
export const shortId = (id: string): string => `…${id.slice(-8)}`;

/** A key without a name is shown as the end of its id. */
export const keyName = ({ id, name }: { id: string; name: string | null }): string => name ?? shortId(id);
