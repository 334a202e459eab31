/** The screening report shows everything found, identically each time, in any script, and within its bounds whatever it is given. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../src/engines/aml/match/compare.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { asWritten } from '../../src/reports/as-written.ts';
import { HITS_SHOWN, type ScreeningReport, writeScreeningReport } from '../../src/reports/screening.ts';
import { sealOf } from '../../src/reports/seal.ts';
import { textOfPdf } from '../setup/pdf.ts';
import { hitOf, reportOf, screeningOf } from '../setup/screening.ts';

const write = (report: ScreeningReport) => writeScreeningReport(report, () => undefined);
const read = async (report: ScreeningReport) => textOfPdf(await write(report));
const linesOf = async (report: ScreeningReport) => (await read(report)).flat();
/** Line breaks and page breaks are up to the page. */
const flowOf = async (report: ScreeningReport) => (await linesOf(report)).filter((line) => !/^Page \d+ of \d+ /.test(line)).join(' ');

describe('a report', () => {
  it('says who was screened, when, for whom, against which versions, and with what result', async () => {
    const lines = await linesOf(reportOf([hitOf()]));
    for (const line of [
      'AML screening report',
      'Person screened',
      'Name Bakari Okorogba',
      'Type not sent',
      'Date of birth 1971-04-03',
      'Country NG',
      'Gender not sent',
      'Screened for Palm Gate Microfinance',
      `Job job_${'01'.repeat(16)}`,
      'Reference onboarding-7741',
      'Metadata {"branch":"Ikeja"}',
      'Screened 2026-11-21 09:30:00 UTC',
      'Report made 2026-11-21 10:00:00 UTC',
      'Engine aml-1, threshold 0.75 (lower scores are not hits)',
      'Result',
      'Risk: CRITICAL',
      'Sanctions match yes',
      'PEP detected no',
      'ofac_sdn 2026-11-18 3fa91c02 2026-11-18 7,421',
      'in_house 2026-11-20 9ce0ab11 not stated 12',
    ])
      expect(lines.map(unbarred), line).toContain(line);
    expect(lines.some((line) => line.includes('TEST'))).toBe(false);
  });

  it('shows each hit with its names, its listing, each word and all evidence', async () => {
    const lines = (await linesOf(reportOf([hitOf()]))).map(unbarred);
    for (const line of [
      '1. Bakari Tunde OKOROGBA',
      'Listed as person on ofac_sdn, entry 88123, version 2026-11-18 3fa91c02',
      'Name that matched Bakary Okorogba',
      'Listed for SDGT; LIBYA3',
      'Listed on 2019-06-12',
      'Page https://lists.example/entries/88123',
      'Name score 0.912',
      'Date of birth the same day (listed: 1971-04-03); score +0.030',
      'Country different (listed: LY; ML); score −0.100',
      'Gender nothing to compare; score unchanged',
      'Rules applied the listed name has more words (list_longer); another_rule',
      'Bakari Bakary the same but for spelling variants 0.950',
      '– Tunde no counterpart –',
    ])
      expect(lines, line).toContain(line);
  });

  it('shows each word as it was sent and listed, with what it was read as', async () => {
    const hit = hitOf({ name: 'VORONETSKIY, Gleb', matched_alias: 'VORONETSKIY, Gleb Abd al-Rahman' });
    hit.explanation.tokens = [
      { query: 'gleb', listed: 'gleb', how: 'exact', similarity: 1 },
      { query: 'voronetzky', listed: 'voronetskiy', how: 'folded', similarity: 0.97 },
      { query: 'segun', listed: 'abdulrahman', how: 'edit', similarity: 0.8 },
      { query: 'elsewhere', listed: null, how: 'unmatched', similarity: 0 },
    ];
    const lines = (await linesOf(reportOf([hit], { input: { name: 'Gleb Voronetzky Ṣẹ́gun' } }))).map(unbarred);
    for (const line of [
      'Gleb Gleb the same 1.000',
      'Voronetzky VORONETSKIY the same but for spelling variants 0.970',
      'Ṣẹ́gun (segun) Abd al-Rahman (abdulrahman) differ by a few letters 0.800',
      'elsewhere – no counterpart –',
    ])
      expect(lines, line).toContain(line);
    const shown = asWritten('毛泽东', 'person');
    expect([shown('mao'), shown('zedong')]).toEqual(['毛泽东 (mao)', '毛泽东 (zedong)']);
    expect(asWritten('Okorogba Marine Co. Ltd', 'organization')('marine')).toBe('Marine');
  });

  it('of an organization says which number was sent, and leaves out what only persons have', async () => {
    const input = { name: 'Okorogba Marine Ltd', type: 'organization', country: 'NG', registration_number: 'RC 9900055' };
    const text = await flowOf(reportOf([hitOf({ type: 'organization' })], { input }));
    expect(text).toContain(
      'Organization screened Name Okorogba Marine Ltd Type organization Country NG Registration number RC 9900055 Request',
    );
    expect(text).toContain('Listed as organization on ofac_sdn');
    expect(text).not.toMatch(/Date of birth|Gender/);
  });

  it('of a name without a type says that both persons and organizations were searched', async () => {
    const text = await flowOf(reportOf([], { input: { name: 'Bakari Okorogba' } }));
    expect(text).toContain(
      'Person or organization screened Name Bakari Okorogba Type not sent Date of birth not sent Country not sent Gender not sent Registration number not sent',
    );
  });

  it('says every rule of the matcher in words, with its code', async () => {
    const hit = hitOf();
    hit.explanation.rules = [...Object.keys(RULES), 'weak_alias', 'registration_number'];
    const text = await flowOf(reportOf([hit]));
    for (const code of hit.explanation.rules) expect(text).toContain(`(${code})`);
  });

  it('shows figures as the result has them, so that they can be added up', async () => {
    const hit = hitOf({ score: 0.748 });
    const text = await flowOf(
      reportOf([hit], { entity: { ...screeningOf([hit]), screening: { ...screeningOf([]).screening, threshold: 0.745 } } }),
    );
    expect(text).toContain('score 0.748');
    expect(text).toContain('threshold 0.745');
  });

  it('says of a cleared hit who cleared it, when, why and until when', async () => {
    const cleared = { clearance: `clr_${'02'.repeat(16)}`, cleared_by: 'a.bello', reason: 'Another passport', at: '2026-10-01T08:00:00Z' };
    const text = await flowOf(
      reportOf([
        hitOf({ cleared: { ...cleared, expires_at: null } }),
        hitOf({ cleared: { ...cleared, recorded_by: 'Core banking (key_1)', expires_at: '2027-10-01T08:00:00Z' } }),
      ]),
    );
    expect(text).toContain('Hits 2, of which 2 cleared');
    expect(text).toContain(
      `by a.bello on 2026-10-01 08:00:00 UTC, until the listing changes (clr_${'02'.repeat(16)}) Reason Another passport`,
    );
    expect(text).toContain('until 2027-10-01 08:00:00 UTC or the listing changes');
    expect(text.match(/Recorded by .*? Reason/g)).toEqual(['Recorded by Core banking (key_1) Reason']);
  });

  const id = `rev_${'03'.repeat(16)}`;
  const decided = { by: 'Ada Obi (per_7)', at: '2026-11-21T09:45:00.000Z' };
  const inWords = `by Ada Obi (per_7) on 2026-11-21 09:45:00 UTC (${id})`;
  it.each([
    ['approved', { id, decided: { decision: 'approve', ...decided } }, `approved ${inWords}`],
    ['rejected', { id, decided: { decision: 'reject', ...decided } }, `rejected ${inWords}`],
    ['not decided yet', { id, decided: null }, `case open (${id})`],
    ['without a case', null, 'none recorded'],
  ] as const)('says what the reviewers decided: %s', async (_, review, decision) => {
    expect(await flowOf(reportOf([hitOf()], { review }))).toContain(`Decision of your reviewers Decision ${decision} Lists`);
  });

  it('without hits says so', async () => {
    expect(await flowOf(reportOf([]))).toContain('No entry of the lists above matches with at least the threshold score');
  });

  it('for a test key says that it is no evidence', async () => {
    const report = reportOf([hitOf()]);
    expect(await flowOf({ ...report, job: { ...report.job, live: false } })).toContain('Screened with a test key against invented lists');
  });

  it('has its number and the job on each page', async () => {
    const pages = await read(reportOf(Array.from({ length: 9 }, () => hitOf())));
    expect(pages.length).toBeGreaterThan(3);
    for (const [i, lines] of pages.entries())
      expect(lines.slice(-1)).toEqual([
        `Page ${i + 1} of ${pages.length} AML screening report · job_${'01'.repeat(16)} · made 2026-11-21 10:00:00 UTC`,
      ]);
  });

  it('is identical, byte by byte, for the same screening at the same time, and carries its seal at any time', async () => {
    const one = await write(reportOf([hitOf()]));
    expect((await write(reportOf([hitOf()]))).equals(one)).toBe(true);
    const later = reportOf([hitOf()], { madeAt: new Date('2027-01-01T00:00:00Z') });
    expect((await write(later)).equals(one)).toBe(false);
    expect(sealIn(await flowOf(later))).toBe(sealIn(textOfPdf(one).flat().join(' ')));
    expect(sealIn(await flowOf(later))).toBe(sealOf(later.entity));
    const other = screeningOf([hitOf({ score: 0.93 })]);
    expect(sealIn(await flowOf({ ...later, entity: other }))).not.toBe(sealOf(later.entity));
  });

  it('is sealed over canonical JSON, in which the order of members does not count', () => {
    const expected = createHash('sha256').update('{"a":[{"b":"x","é":1.5}],"z":null}').digest('hex');
    expect(sealOf({ z: null, a: [{ é: 1.5, b: 'x' }] })).toBe(expected);
  });
});

describe('names', () => {
  const shown = async (name: string) => flowOf(reportOf([hitOf({ matched_alias: name })]));

  it.each([
    ['Yoruba', 'Ọláńrewájú Ṣẹ́gun'],
    ['Hausa', 'Ƙofar-Ɓaure Ɗanladi'],
    ['Igbo', 'Ịfẹanyị Ụka'],
    ['Cyrillic', 'Бакари Окорогбович'],
    ['Greek', 'Μπακάρι Οκορόγκμπα'],
    ['Armenian', 'Հայկ'],
    ['Georgian', 'აკაკი'],
    ['Vietnamese', 'Nguyễn Thị Phượng'],
  ])('in %s letters are shown in them', async (_, name) => {
    expect((await shown(name)).normalize('NFC')).toContain(name.normalize('NFC'));
  });

  it.each([
    ['Arabic', 'بكاري أوكوروغبا'],
    ['Hebrew', 'בקרי אוקורוגבה'],
  ])('in %s letters are shown from right to left', async (_, name) => {
    const text = await shown(name);
    const mirrored = [...name].reverse().join('');
    expect(text).toContain(mirrored);
  });

  it.each([
    ['Chinese', '毛伯里', '≈MaoBoLi [U+6BDB U+4F2F U+91CC]'],
    ['Korean', '김', '≈Gim [U+AE40]'],
    ['Amharic', 'አበበ', "≈'abebe [U+12A0 U+1260 U+1260]"],
  ])('in %s letters, which the typeface lacks, are transliterated, with code points and a note on the page', async (_, name, expected) => {
    const pages = await read(reportOf([hitOf({ matched_alias: name })]));
    const page = pages.find((lines) => lines.join(' ').includes(expected))!;
    expect(page.at(-1)).toMatch(/^≈ transliterated: /);
    expect(pages.filter((lines) => lines.at(-1)!.startsWith('≈'))).toHaveLength(1);
  });

  it('cannot steer the text around them: controls and direction marks are shown as code points', async () => {
    expect(await shown('\u202eevil\u202c\u0000\u0007\u2066x')).toContain('[U+202E]evil[U+202C][U+0000][U+0007][U+2066]x');
  });

  it.each([
    ['of 5,000 characters', 'x'.repeat(5_000)],
    ['of 5,000 Chinese characters', '毛'.repeat(5_000)],
    ['of 5,000 Arabic characters', 'م'.repeat(5_000)],
    ['of one letter under 5,000 marks', `a${'\u0301'.repeat(5_000)}`],
    ['of 5,000 direction marks', '\u202e'.repeat(5_000)],
    ['of half a surrogate pair', '\ud83d'],
    ['of line breaks', 'a\n\n\n\r\nb\u2028c\u2029d\te'],
    ['of emoji', '👩‍👩‍👧‍👦'.repeat(200)],
    ['of nothing', ''],
    ['of spaces', ' '.repeat(5_000)],
  ])('%s break nothing', async (_, name) => {
    const hostile = hitOf({ name, matched_alias: name, programs: [name], url: name, source_id: name });
    hostile.explanation.tokens = [{ query: name, listed: name, how: 'edit', similarity: 0.5 }];
    const report = reportOf([hostile, hitOf()], { appName: name, input: { name } });
    const pages = await read({ ...report, job: { ...report.job, reference: name, metadata: { name } } });
    expect(pages.length).toBeLessThan(12);
    expect(pages.flat().join(' ')).toContain('2. Bakari Tunde OKOROGBA');
  });

  it('with more marks than a letter has show them as code points, and say how many', async () => {
    expect(await shown(`a${'\u0301'.repeat(500)}`)).toMatch(/\[U\+00E1( U\+0301){99} and 400 more\]/);
  });

  it('that are cut say after how many characters', async () => {
    expect(await shown('x'.repeat(5_000))).toMatch(/x \[… cut after 1\d\d\d characters\]/);
  });
});

describe('a thousand hits', () => {
  const report = reportOf(Array.from({ length: 1_000 }, (_, i) => hitOf({ source_id: `entry-${i}` })));

  it('are bounded, counted, and give way to other work after each', async () => {
    let turns = 0;
    const file = await writeScreeningReport(report, () => void turns++);
    expect(turns).toBe(HITS_SHOWN);
    const text = textOfPdf(file).flat().join(' ');
    expect(text).toContain('Hits 1000');
    expect(text).toContain(`entry-${HITS_SHOWN - 1},`);
    expect(text).not.toContain(`entry-${HITS_SHOWN},`);
    expect(text).toContain(`${1_000 - HITS_SHOWN} more hits are not shown`);
  });

  it('are written within 2 s and 100 MB', async () => {
    const program = join(packageRoot(), 'test/fixtures/report-writer.ts');
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program]);
    const { seconds, grownMb } = JSON.parse(stdout) as { seconds: number; grownMb: number };
    expect(seconds).toBeLessThan(2);
    expect(grownMb).toBeLessThan(100);
  });
});

describe('the longest hits that lists can have', () => {
  it('end after some 150 pages, with a line that says how many more there are', async () => {
    const name = 'Bakari Okorogba '.repeat(18);
    const tokens = Array.from({ length: 40 }, () => ({ query: name, listed: name, how: 'edit', similarity: 0.5 }) as const);
    const long = hitOf({ name, matched_alias: name, programs: Array.from({ length: 20 }, () => name) });
    long.explanation.tokens = tokens;
    const pages = await read(reportOf(Array.from({ length: 200 }, () => long)));
    expect(pages.length).toBeGreaterThan(140);
    expect(pages.length).toBeLessThan(170);
    expect(pages.flat().join(' ')).toMatch(/\d+ more hits are not shown: this report shows the best \d+\./);
  });
});

/** A banner's note is written before its title. */
const unbarred = (line: string): string => line.replace(/^.* score \d\.\d{3}( · cleared)? |^\d+ of 100 /, '');
const sealIn = (text: string): string => /Seal ([0-9a-f]{64})/.exec(text)![1]!;
