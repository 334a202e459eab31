/**
 * The report of a screening, for an analyst's file: who was screened, against which versions of which lists, the result, what reviewers decided, and each hit
 * with the evidence for and against it. All of it is personal data, and none is masked, because it is the evidence.
 */
import type { ScreeningEntity } from '../checks/screening.ts';
import type { EntryType } from '../engines/aml/list.ts';
import { subjectType } from '../engines/aml/request.ts';
import { BANDS } from '../engines/aml/risk.ts';
import { writeHit } from './hit.ts';
import { FAINT, Sheet, shownTime } from './page.ts';
import { sealOf } from './seal.ts';

export interface ScreeningReport {
  appName: string;
  job: {
    /** `job_…` */
    id: string;
    live: boolean;
    /** `bat_…` and the row in it; null for a single job. */
    batch: string | null;
    row: number | null;
    reference: string | null;
    metadata: Record<string, unknown> | null;
    /** ISO 8601. */
    createdAt: string;
  };
  /** As submitted. */
  input: Record<string, string | undefined>;
  entity: ScreeningEntity;
  /** The review case of the job; null if it has none. */
  review: ReportedReview | null;
  madeAt: Date;
}

export interface ReportedReview {
  /** `rev_…` */
  id: string;
  /** Null: the case is open. */
  decided: { decision: 'approve' | 'reject'; by: string /** ISO 8601. */; at: string } | null;
}

/** Most hits shown, and the page count after which no further hit is started; the report refers to the job for the rest. 200 hits take about 80 pages. */
export const HITS_SHOWN = 200;
const PAGES_MAX = 150;

/** Returns a PDF. Awaits `turn` between hits, so that other requests get time on the event loop. */
export async function writeScreeningReport(report: ScreeningReport, turn: () => Promise<void> | undefined): Promise<Buffer> {
  const { job, input, entity, madeAt } = report;
  const sheet = new Sheet({
    title: `AML screening report ${job.id}`,
    footer: `AML screening report · ${job.id} · made ${shownTime(madeAt.toISOString())}`,
    note: '≈ transliterated: the typeface of this report lacks these characters; their Unicode code points follow in brackets.',
    madeAt,
  });
  sheet.paragraph('AML screening report', { weight: 'bold', size: 17 });
  sheet.paragraph('Sanctions, politically exposed persons, police notices and adverse media', { size: 10, colour: FAINT });
  sheet.space(6);
  if (!job.live) {
    sheet.banner('TEST', 'not evidence', '#b7791f');
    sheet.paragraph('Screened with a test key against invented lists: this report says nothing about a real person.', { weight: 'bold' });
    sheet.space(4);
  }
  writeOrigin(sheet, report);
  writeResult(sheet, entity);
  writeDecision(sheet, report.review);
  writeLists(sheet, entity);
  sheet.heading(`Hits (${entity.total_hits})`);
  if (entity.hits.length === 0) sheet.paragraph('No entry of the lists above matches with at least the threshold score.');
  let shown = 0;
  while (shown < Math.min(entity.hits.length, HITS_SHOWN) && sheet.pages() < PAGES_MAX) {
    writeHit(sheet, shown + 1, entity.hits[shown]!, input.name ?? '');
    shown++;
    await turn();
  }
  const left = entity.total_hits - shown;
  if (left > 0)
    sheet.paragraph(`${left} more ${left === 1 ? 'hit is' : 'hits are'} not shown: this report shows the best ${shown}.`, {
      weight: 'bold',
    });
  writeSeal(sheet, report);
  return sheet.end();
}

const subjects: Record<EntryType, string> = { person: 'Person', organization: 'Organization' };

function writeOrigin(sheet: Sheet, { appName, job, input, entity, madeAt }: ScreeningReport): void {
  const type = subjectType(input);
  const sent = (label: string, member: string) => [label, input[member] ?? 'not sent'] as const;
  sheet.heading(`${type === null ? 'Person or organization' : subjects[type]} screened`);
  sheet.facts([
    sent('Name', 'name'),
    sent('Type', 'type'),
    ...(type === 'organization' ? [] : [sent('Date of birth', 'date_of_birth')]),
    sent('Country', 'country'),
    ...(type === 'organization' ? [] : [sent('Gender', 'gender')]),
    ...(type === 'person' ? [] : [sent('Registration number', 'registration_number')]),
  ]);
  sheet.heading('Request');
  sheet.facts([
    ['Screened for', appName],
    ['Job', job.id],
    ...(job.batch === null ? [] : [['Batch', `${job.batch}, row ${job.row}`] as const]),
    ['Reference', job.reference ?? 'none'],
    ...(job.metadata === null ? [] : [['Metadata', JSON.stringify(job.metadata)] as const]),
    ['Received', shownTime(job.createdAt)],
    ['Screened', shownTime(entity.screened_at)],
    ['Report made', shownTime(madeAt.toISOString())],
    ['Engine', `${entity.screening.engine_version}, threshold ${entity.screening.threshold} (lower scores are not hits)`],
  ]);
}

const levelColours: Record<ScreeningEntity['risk_level'], string> = {
  LOW: '#2f855a',
  MEDIUM: '#b7791f',
  HIGH: '#c05621',
  CRITICAL: '#9b2c2c',
};

const bands = BANDS.map(([level, least]) => `${level} from ${least}`).join(', ');

function writeResult(sheet: Sheet, entity: ScreeningEntity): void {
  sheet.heading('Result');
  sheet.banner(`Risk: ${entity.risk_level}`, `${entity.risk_score} of 100`, levelColours[entity.risk_level]);
  const cleared = entity.hits.filter((hit) => hit.cleared !== null).length;
  sheet.facts([
    ['Sanctions match', entity.sanctions_match ? 'yes' : 'no'],
    ['PEP detected', entity.pep_detected ? 'yes' : 'no'],
    ['Hits', `${entity.total_hits}${cleared > 0 ? `, of which ${cleared} cleared` : ''}`],
    [
      'How to read it',
      `The level follows from the risk score, 0 to 100: ${bands}, LOW below. A cleared hit is listed but does not raise it.`,
    ],
  ]);
}

const decisions = { approve: 'approved', reject: 'rejected' } as const;

function writeDecision(sheet: Sheet, review: ReportedReview | null): void {
  sheet.heading('Decision of your reviewers');
  sheet.facts([['Decision', review === null ? 'none recorded' : `${decisionOf(review)} (${review.id})`]]);
}

function decisionOf({ decided }: ReportedReview): string {
  if (decided === null) return 'case open';
  const { decision, by, at } = decided;
  return `${decisions[decision]} by ${by} on ${shownTime(at)}`;
}

function writeLists(sheet: Sheet, { screening }: ScreeningEntity): void {
  sheet.heading('Lists');
  sheet.table(
    [
      { title: 'List', share: 0.3 },
      { title: 'Version', share: 0.34 },
      { title: 'Published', share: 0.2 },
      { title: 'Entries', share: 0.16, align: 'right' },
    ],
    screening.lists.map(({ list, version, published_on, entries }) => [
      list,
      version,
      published_on ?? 'not stated',
      entries.toLocaleString('en-GB'),
    ]),
  );
}

function writeSeal(sheet: Sheet, { entity, job }: ScreeningReport): void {
  sheet.heading('Seal');
  sheet.paragraph(sealOf(entity), { weight: 'bold' });
  sheet.paragraph(
    `SHA-256 of the result of ${job.id} as it is stored, in canonical JSON (RFC 8785). It is the same for every report of this job.`,
    { colour: FAINT },
  );
}
