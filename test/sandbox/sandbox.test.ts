import { crc32, inflateSync } from 'node:zlib';
import fc from 'fast-check';
import sharp from 'sharp';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type LookupResult, ProviderFailure, type RecordKind, recordKinds } from '../../src/checks/provider.ts';
import { GROUPS } from '../../src/names/nigerian-names.ts';
import { bvnOfNin, ninOfBvn, ninOfPhone, PERSONA, phoneAt, phoneOfNin } from '../../src/sandbox/numbers.ts';
import { STATES } from '../../src/sandbox/places.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/provider.ts';
import { registries } from '../../src/sandbox/registries.ts';

const elevenDigits = fc.integer({ min: 0, max: 10 ** 11 - 1 }).map((value) => String(value).padStart(11, '0'));
/** Without the scripted numbers. */
const ordinary = fc.integer({ min: 10, max: 10 ** 11 - 1 }).map((value) => String(value).padStart(11, '0'));

function ask(sandbox: Sandbox, kind: RecordKind, identifier: string, signal = new AbortController().signal): Promise<LookupResult> {
  return sandbox.lookup({ kind, tier: 1, identifier, reference: 'test', signal });
}

async function recordOf(kind: RecordKind, identifier: string, sandbox = createSandbox()): Promise<Record<string, string>> {
  const result = await ask(sandbox, kind, identifier);
  if (!result.found) throw new Error('not found');
  return result.record as Record<string, string>;
}

async function failureOf(answer: Promise<LookupResult>): Promise<ProviderFailure> {
  const failure = await answer.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof ProviderFailure)) throw new Error(`no ProviderFailure: ${failure}`);
  return failure;
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('numbers', () => {
  test('NIN to BVN is a bijection: each leads back to the other', () => {
    fc.assert(
      fc.property(elevenDigits, (number) => {
        expect(bvnOfNin(number)).toMatch(/^\d{11}$/);
        expect(ninOfBvn(bvnOfNin(number))).toBe(number);
        expect(bvnOfNin(ninOfBvn(number))).toBe(number);
      }),
      { numRuns: 5_000 },
    );
  });

  test('20,000 neighbouring NINs have 20,000 BVNs, spread over the whole range', () => {
    const bvns = new Set(Array.from({ length: 20_000 }, (_, i) => bvnOfNin(String(40_000_000_000 + i))));
    expect(bvns.size).toBe(20_000);
    expect(new Set([...bvns].map((bvn) => bvn[0])).size).toBe(10);
  });

  test('the NIN of any phone number has that phone number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }).map(phoneAt), (phone) => {
        expect(phone).toMatch(/^0[789][01]\d{8}$/);
        expect(phoneOfNin(ninOfPhone(phone)!)).toBe(phone);
      }),
      { numRuns: 5_000 },
    );
  });

  test('every NIN has a Nigerian mobile number', () => {
    fc.assert(
      fc.property(elevenDigits, (nin) => {
        expect(phoneOfNin(nin)).toMatch(/^0[789][01]\d{8}$/);
        expect(ninOfPhone(phoneOfNin(nin))).toMatch(/^\d{11}$/);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a number without an operator, or that is no phone number, belongs to nobody', () => {
    for (const phone of ['00000000000', '06031234567', '0803123456', '080312345678', '0803123456x', ''])
      expect(ninOfPhone(phone)).toBeUndefined();
  });

  test('the test values of other vendors are one person', () => {
    expect(PERSONA).toEqual({ nin: '70123456789', bvn: '22222222222', phone: '09011111111' });
    expect(bvnOfNin(PERSONA.nin)).toBe(PERSONA.bvn);
    expect(ninOfBvn(PERSONA.bvn)).toBe(PERSONA.nin);
    expect(phoneOfNin(PERSONA.nin)).toBe(PERSONA.phone);
    expect(ninOfPhone(PERSONA.phone)).toBe(PERSONA.nin);
  });

  test('a scripted number is the same number as NIN and as BVN', () => {
    for (let digit = 0; digit <= 9; digit++) {
      expect(bvnOfNin(`0000000000${digit}`)).toBe(`0000000000${digit}`);
      expect(ninOfBvn(`0000000000${digit}`)).toBe(`0000000000${digit}`);
    }
  });
});

describe('people', () => {
  test('a number is the same person in every release (pinned)', async () => {
    const summary = async (nin: string) => {
      const { firstname, middlename, surname, gender, birthdate, telephoneno, origin_state, origin_lga, residence_lga, tracking_id } =
        await recordOf('nin', nin);
      return [
        firstname,
        middlename,
        surname,
        gender,
        birthdate,
        telephoneno,
        origin_state,
        origin_lga,
        residence_lga,
        tracking_id,
        bvnOfNin(nin),
      ].join(' | ');
    };
    expect(await summary('70123456789')).toMatchInlineSnapshot(
      `"Morenike | Precious | Durojaiye | FEMALE | 1991-04-17 | 09011111111 | Ogun | Ijebu Ode | Bwari | S7YLW1SD76DWJM6 | 22222222222"`,
    );
    expect(await summary('00000000000')).toMatchInlineSnapshot(
      `"Opubo | Ibiso | Tamuno | MALE | 1993-03-30 | 08034749731 | Delta | Warri North | Warri North | S7YGN4LBSNB82QC | 00000000000"`,
    );
    expect(await summary('31415926535')).toMatchInlineSnapshot(
      `"Yetunde | Iyabo | Asaolu | FEMALE | 2000-06-28 | 08105943128 | Ekiti | Emure | Gbonyin | S7YP22Q3KSFHNTD | 17335587044"`,
    );
    expect(await summary('27182818284')).toMatchInlineSnapshot(
      `"Asmau | Umma | Kangiwa | FEMALE | 1995-09-18 | 08102237779 | Sokoto | Silame | Silame | S7YLQKPRDH0C1ER | 71512915079"`,
    );
  });

  test('two sandboxes give equal records', async () => {
    await fc.assert(
      fc.asyncProperty(ordinary, fc.constantFrom<RecordKind>('nin', 'bvn'), async (number, kind) => {
        expect(await recordOf(kind, number)).toEqual(await recordOf(kind, number));
      }),
    );
  });

  test("a person's NIN and BVN records agree", async () => {
    await fc.assert(
      fc.asyncProperty(ordinary, async (number) => {
        const bvn = await recordOf('bvn', number);
        const nin = await recordOf('nin', bvn.nin!);
        expect(bvnOfNin(bvn.nin!)).toBe(number);
        expect({
          first: bvn.first_name,
          last: bvn.last_name,
          middle: bvn.middle_name,
          born: bvn.date_of_birth,
          phone: bvn.phone_number1,
          gender: bvn.gender?.toUpperCase(),
          origin: [bvn.state_of_origin, bvn.lga_of_origin],
          residence: [bvn.state_of_residence, bvn.lga_of_residence],
          married: bvn.marital_status?.toLowerCase(),
          title: bvn.title?.toLowerCase(),
          email: bvn.email,
          image: bvn.image,
        }).toEqual({
          first: nin.firstname,
          last: nin.surname,
          middle: nin.middlename,
          born: nin.birthdate,
          phone: nin.telephoneno,
          gender: nin.gender,
          origin: [nin.origin_state, nin.origin_lga],
          residence: [nin.residence_state, nin.residence_lga],
          married: nin.marital_status,
          title: nin.title,
          email: nin.email,
          image: nin.photo,
        });
      }),
      { numRuns: 1_000 },
    );
  });

  test('every LGA is in its state, and the town in the LGA', async () => {
    const towns = new Map(STATES.flatMap((state) => state.lgas.map((lga) => [`${state.name}/${lga.name}`, lga.towns])));
    await fc.assert(
      fc.asyncProperty(ordinary, async (nin) => {
        const record = await recordOf('nin', nin);
        expect(towns.get(`${record.residence_state}/${record.residence_lga}`)).toContain(record.residence_town);
        expect(towns.get(`${record.origin_state}/${record.origin_lga}`)).toContain(record.origin_place);
        expect(towns.get(`${record.nok_state}/${record.nok_lga}`)).toContain(record.nok_town);
        expect(towns.has(`${record.birth_state}/${record.birth_lga}`)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a person comes from a state of their language group, and has its names', async () => {
    const surnames = new Map(Object.values(GROUPS).map((group) => [group.language, new Set(group.surnames)]));
    const languages = new Map(STATES.map((state) => [state.name, new Set(state.groups.map((name) => GROUPS[name].language))]));
    await fc.assert(
      fc.asyncProperty(ordinary, async (nin) => {
        const record = await recordOf('nin', nin);
        expect(languages.get(record.origin_state!)).toContain(record.nspoken_lang);
        expect(surnames.get(record.nspoken_lang!)).toContain(record.surname);
      }),
      { numRuns: 2_000 },
    );
  });

  test('people are adults below 80, with valid dates, and enrolled for the BVN as adults', async () => {
    await fc.assert(
      fc.asyncProperty(ordinary, async (number) => {
        const record = await recordOf('bvn', number);
        const born = record.date_of_birth!;
        expect(new Date(born).toISOString().slice(0, 10)).toBe(born);
        expect(born > '1946-01-01' && born <= '2008-01-01').toBe(true);
        const majority = `${Number(born.slice(0, 4)) + 18}${born.slice(4)}`;
        expect(record.registration_date! >= majority && record.registration_date! >= '2014-02-14').toBe(true);
        expect(record.registration_date! < '2026-01-01').toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test('every field is a string, and email addresses use only a reserved domain', async () => {
    await fc.assert(
      fc.asyncProperty(ordinary, fc.constantFrom<RecordKind>('nin', 'bvn'), async (number, kind) => {
        const record = await recordOf(kind, number);
        expect(Object.entries(record).filter(([, value]) => typeof value !== 'string')).toEqual([]);
        expect(record.email).toMatch(/^[a-z-]+\.[a-z-]+\d+@example\.(com|net|org)$/);
        if (kind === 'nin') expect(record.tracking_id).toMatch(/^S7Y[0-9A-Z]{12}$/);
        if (kind === 'bvn') expect(record.watch_listed).toBe('NO');
      }),
      { numRuns: 1_000 },
    );
  });

  test('only women who married have a maiden name', async () => {
    await fc.assert(
      fc.asyncProperty(ordinary, async (nin) => {
        const record = await recordOf('nin', nin);
        expect(record.maiden_name !== '').toBe(record.gender === 'FEMALE' && record.marital_status !== 'single');
      }),
      { numRuns: 1_000 },
    );
  });

  test('the data holds the 36 states and the FCT with all 774 local governments, and enough names', () => {
    expect(STATES).toHaveLength(37);
    expect(STATES.flatMap(({ lgas }) => lgas)).toHaveLength(774);
    for (const state of STATES) expect(new Set(state.lgas.map(({ name }) => name)).size, state.name).toBe(state.lgas.length);
    for (const [name, group] of Object.entries(GROUPS)) {
      const big = ['yoruba', 'igbo', 'hausa'].includes(name);
      for (const list of [group.male, group.female, group.surnames]) expect(new Set(list).size, `${name}: ${list}`).toBe(list.length);
      expect(Math.min(group.male.length, group.female.length), name).toBeGreaterThanOrEqual(big ? 25 : 15);
      expect(group.surnames.length, name).toBeGreaterThanOrEqual(big ? 40 : 25);
    }
  });
});

describe('pictures', () => {
  /** Width and height of a PNG; throws unless every checksum and row is right. */
  function readPng(png: Buffer): { width: number; height: number; colours: number } {
    expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
    const chunks = new Map<string, Buffer>();
    for (let at = 8; at < png.length; ) {
      const length = png.readUInt32BE(at);
      expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(png.subarray(at + 4, at + 8 + length)));
      chunks.set(png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, at + 8 + length));
      at += 12 + length;
    }
    expect([...chunks.keys()]).toEqual(['IHDR', 'PLTE', 'IDAT', 'IEND']);
    const header = chunks.get('IHDR')!;
    const [width, height, depth] = [header.readUInt32BE(0), header.readUInt32BE(4), header[8]!];
    expect([...header.subarray(9)]).toEqual([3, 0, 0, 0]);
    const stride = (width * depth) / 8;
    const rows = inflateSync(chunks.get('IDAT')!);
    expect(rows.length).toBe(height * (stride + 1));
    const above = new Uint8Array(stride);
    const used = new Set<number>();
    for (let y = 0; y < height; y++) {
      expect(rows[y * (stride + 1)]).toBe(2);
      for (let i = 0; i < stride; i++) {
        above[i] = (above[i]! + rows[y * (stride + 1) + 1 + i]!) & 0xff;
        for (let bit = 8 - depth; bit >= 0; bit -= depth) used.add((above[i]! >> bit) & (2 ** depth - 1));
      }
    }
    expect(Math.max(...used)).toBeLessThan(chunks.get('PLTE')!.length / 3);
    return { width, height, colours: used.size };
  }

  test('every portrait and signature is a valid small PNG', async () => {
    const photos = new Set<string>();
    const signatures = new Set<string>();
    for (let i = 0; i < 3_000; i++) {
      const record = await recordOf('nin', String(50_000_000_000 + i));
      photos.add(record.photo!);
      signatures.add(record.signature!);
    }
    expect(photos.size).toBe(64);
    expect(signatures.size).toBe(32);
    const marks = new Set<string>();
    for (const photo of photos) {
      const png = Buffer.from(photo, 'base64');
      const mark = await sharp(png).extract({ left: 0, top: 33, width: 32, height: 7 }).greyscale().threshold(128).raw().toBuffer();
      marks.add(mark.toString('hex'));
      expect(png.length).toBeLessThanOrEqual(350);
      expect(readPng(png)).toEqual({ width: 32, height: 40, colours: 4 });
    }
    // The same word below all shoulders.
    expect(marks.size).toBe(1);
    for (const signature of signatures) {
      const [head, body] = signature.split(',');
      expect(head).toBe('data:image/png;base64');
      const png = Buffer.from(body!, 'base64');
      expect(png.length).toBeLessThanOrEqual(350);
      expect(readPng(png)).toEqual({ width: 96, height: 32, colours: 2 });
    }
  });
});

describe.each<RecordKind>(['nin', 'bvn'])('scripted %s numbers', (kind) => {
  test.each([0, 2, 7, 8, 9])('0000000000%i is found', async (digit) => {
    const record = await recordOf(kind, `0000000000${digit}`);
    expect(record[kind]).toBe(`0000000000${digit}`);
  });

  test('1 is not found', async () => {
    expect(await ask(createSandbox(), kind, '00000000001')).toEqual({ found: false });
  });

  test('3 is down at every call, and says nothing about the provider', async () => {
    const sandbox = createSandbox();
    for (let call = 0; call < 3; call++) {
      expect(await failureOf(ask(sandbox, kind, '00000000003'))).toMatchObject({ code: 'down', retryable: true, scope: 'subject' });
    }
  });

  test('4 is found after three seconds', async () => {
    vi.useFakeTimers();
    let answer: LookupResult | undefined;
    const done = ask(createSandbox(), kind, '00000000004').then((result) => {
      answer = result;
    });
    await vi.advanceTimersByTimeAsync(2_999);
    expect(answer).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await done;
    expect(answer).toMatchObject({ found: true });
  });

  test('4 gives up as soon as it is aborted, and leaves no timer', async () => {
    vi.useFakeTimers();
    const abort = new AbortController();
    const answer = failureOf(ask(createSandbox(), kind, '00000000004', abort.signal));
    await vi.advanceTimersByTimeAsync(10);
    abort.abort();
    expect(await answer).toMatchObject({ code: 'timeout', retryable: true, scope: 'subject' });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('5 is rate limited at every other call', async () => {
    const sandbox = createSandbox();
    const limited = { code: 'rate_limited', retryable: true, retryAfterMs: 1_000, scope: 'subject' };
    expect(await failureOf(ask(sandbox, kind, '00000000005'))).toMatchObject(limited);
    expect(await ask(sandbox, kind, '00000000005')).toMatchObject({ found: true });
    expect(await failureOf(ask(sandbox, kind, '00000000005'))).toMatchObject(limited);
  });

  test('6 is down at every other call', async () => {
    const sandbox = createSandbox();
    expect(await failureOf(ask(sandbox, kind, '00000000006'))).toMatchObject({ code: 'down', retryable: true, scope: 'subject' });
    expect(await ask(sandbox, kind, '00000000006')).toMatchObject({ found: true });
    expect(await failureOf(ask(sandbox, kind, '00000000006'))).toMatchObject({ code: 'down' });
  });
});

describe('scripts', () => {
  test('"once" is counted separately for each kind, number and sandbox', async () => {
    const [one, other] = [createSandbox(), createSandbox()];
    await failureOf(ask(one, 'nin', '00000000006'));
    await failureOf(ask(one, 'bvn', '00000000006'));
    await failureOf(ask(one, 'nin', '00000000005'));
    await failureOf(ask(other, 'nin', '00000000006'));
    expect(await ask(one, 'nin', '00000000006')).toMatchObject({ found: true });
  });

  test('only BVN 00000000007 is watch-listed', async () => {
    expect((await recordOf('bvn', '00000000007')).watch_listed).toBe('YES');
    for (const digit of [0, 2, 8, 9]) expect((await recordOf('bvn', `0000000000${digit}`)).watch_listed).toBe('NO');
  });

  test.each(['12345678901', '98765432101', '95888168924', '00000000010', '00000000100'])('%s is an ordinary number', async (number) => {
    expect((await recordOf('nin', number)).nin).toBe(number);
    expect((await recordOf('bvn', number)).bvn).toBe(number);
  });

  test.each(['', '123', '1234567890a', '123456789012', '０0000000000'])('%j is refused as malformed, for good', async (identifier) => {
    expect(await failureOf(ask(createSandbox(), 'nin', identifier))).toMatchObject({ code: 'invalid', retryable: false, scope: 'subject' });
  });
});

describe('the provider', () => {
  test('has a name, a budget and kinds, which options can change', () => {
    const { name, budget, serves } = createSandbox();
    expect({ name, budget, serves }).toEqual({
      name: 'sandbox',
      budget: { requestsPerSecond: null, burst: 1, reservedForCalls: 0, inFlightMax: 500, timeoutMs: 10_000 },
      serves: Object.fromEntries(recordKinds.filter((kind) => registries[kind]).map((kind) => [kind, Number.POSITIVE_INFINITY])),
    });
    const other = createSandbox({ name: 'mirror', budget: { inFlightMax: 7 } });
    expect([other.name, other.budget.inFlightMax, other.budget.timeoutMs]).toEqual(['mirror', 7, 10_000]);
  });

  test('answers without a timer if latency is 0', async () => {
    const timer = vi.spyOn(globalThis, 'setTimeout');
    const immediate = vi.spyOn(globalThis, 'setImmediate');
    const answers: string[] = [];
    const done = ask(createSandbox(), 'nin', '12345678901').then(() => answers.push('sandbox'));
    await Promise.resolve()
      .then(() => {})
      .then(() => {});
    expect(answers).toEqual(['sandbox']);
    await done;
    expect(timer).not.toHaveBeenCalled();
    expect(immediate).not.toHaveBeenCalled();
  });

  test('takes as long as its latency says, per kind', async () => {
    vi.useFakeTimers();
    const sandbox = createSandbox({ latencyMs: { nin: 250 } });
    const answers: string[] = [];
    const done = Promise.all([
      ask(sandbox, 'nin', '12345678901').then(() => answers.push('nin')),
      ask(sandbox, 'bvn', '12345678901').then(() => answers.push('bvn')),
    ]);
    await vi.advanceTimersByTimeAsync(249);
    expect(answers).toEqual(['bvn']);
    await vi.advanceTimersByTimeAsync(1);
    await done;
    expect(answers).toEqual(['bvn', 'nin']);
  });

  test('an abort ends the wait at once, and leaves no timer and no listener', async () => {
    vi.useFakeTimers();
    const abort = new AbortController();
    const removed = vi.spyOn(abort.signal, 'removeEventListener');
    const sandbox = createSandbox({ latencyMs: { nin: 100 } });
    const first = ask(sandbox, 'nin', '12345678901', abort.signal);
    await vi.advanceTimersByTimeAsync(100);
    expect(await first).toMatchObject({ found: true });
    expect(removed).toHaveBeenCalledTimes(1);
    const second = failureOf(ask(sandbox, 'nin', '12345678901', abort.signal));
    await vi.advanceTimersByTimeAsync(50);
    abort.abort();
    expect(await second).toMatchObject({ code: 'timeout', retryable: true, scope: 'provider' });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a look-up aborted before it starts is a timeout', async () => {
    expect(await failureOf(ask(createSandbox(), 'nin', '12345678901', AbortSignal.abort()))).toMatchObject({ code: 'timeout' });
  });

  test('counts its calls, including failed ones', async () => {
    const sandbox = createSandbox();
    await ask(sandbox, 'nin', '12345678901');
    await ask(sandbox, 'bvn', '12345678901');
    await failureOf(ask(sandbox, 'bvn', '00000000003'));
    expect(sandbox.calls).toEqual({ total: 3, nin: 1, bvn: 2 });
  });
});

describe('provider faults', () => {
  test('down, rate limited and malformed fail every call for the provider as a whole, until the mode is changed back', async () => {
    const sandbox = createSandbox();
    sandbox.faults.mode = 'down';
    expect(await failureOf(ask(sandbox, 'nin', '12345678901'))).toMatchObject({ code: 'down', retryable: true, scope: 'provider' });
    sandbox.faults.mode = 'malformed';
    expect(await failureOf(ask(sandbox, 'nin', '12345678901'))).toMatchObject({ code: 'down', retryable: true, scope: 'provider' });
    sandbox.faults.mode = 'rate_limited';
    expect(await failureOf(ask(sandbox, 'nin', '12345678901'))).toMatchObject({
      code: 'rate_limited',
      retryAfterMs: undefined,
      scope: 'provider',
    });
    sandbox.faults.retryAfterMs = 2_500;
    expect(await failureOf(ask(sandbox, 'nin', '12345678901'))).toMatchObject({ code: 'rate_limited', retryAfterMs: 2_500 });
    sandbox.faults.mode = 'ok';
    expect(await ask(sandbox, 'nin', '12345678901')).toMatchObject({ found: true });
  });

  test('hang answers only when it is aborted', async () => {
    const abort = new AbortController();
    let settled = false;
    const answer = failureOf(ask(createSandbox({ faults: { mode: 'hang' } }), 'nin', '12345678901', abort.signal)).finally(() => {
      settled = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toBe(false);
    abort.abort();
    expect(await answer).toMatchObject({ code: 'timeout', retryable: true, scope: 'provider' });
  });

  test('failRate fails that share of calls, the same ones for the same seed', async () => {
    const run = async (seed: number) => {
      const sandbox = createSandbox({ faults: { mode: 'ok', failRate: 0.2, seed } });
      let marks = '';
      for (let i = 0; i < 2_000; i++) {
        marks += await ask(sandbox, 'nin', '12345678901').then(
          () => '.',
          (failure: ProviderFailure) => (failure.code === 'down' && failure.scope === 'provider' ? 'x' : '?'),
        );
      }
      return marks;
    };
    const marks = await run(7);
    expect(marks).toBe(await run(7));
    expect(marks).not.toBe(await run(8));
    expect(marks).not.toContain('?');
    const failed = marks.split('x').length - 1;
    expect(failed).toBeGreaterThan(320);
    expect(failed).toBeLessThan(480);
  });

  test('failRate in another mode is the share of calls that misbehave in that mode', async () => {
    const sandbox = createSandbox({ faults: { mode: 'rate_limited', failRate: 0.5 } });
    const outcomes = new Set<string>();
    for (let i = 0; i < 100; i++) {
      outcomes.add(
        await ask(sandbox, 'nin', '12345678901').then(
          () => 'found',
          (failure: ProviderFailure) => failure.code,
        ),
      );
    }
    expect([...outcomes].sort()).toEqual(['found', 'rate_limited']);
  });
});
