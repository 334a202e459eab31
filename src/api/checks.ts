/** The single calls: one path a check, as the catalog declares it, and the paths that other services' clients use (`aliases.ts`). */
import { z } from 'zod';
import { answeringCheck, checks, knownCheck } from '../checks/catalog.ts';
import type { Check } from '../checks/check.ts';
import { imageInputs } from '../checks/inputs.ts';
import { SentPictures } from '../checks/sent-pictures.ts';
import { naira } from '../contract/fields.ts';
import { callOptions } from '../contract/jobs.ts';
import { ApiError, repeatedOption } from '../foundation/errors.ts';
import { answerCall, type Names } from '../pipeline/call.ts';
import type { Service } from '../pipeline/service.ts';
import { tooLarge } from '../sandbox/portraits/picture.ts';
import { type Alias, aliases, birthDateOf, PHOTOGRAPHS, photographsOf, spellings } from './aliases.ts';
import { consentOfCall } from './consent.ts';
import { callerOf, checked, type Http, jsonBody } from './http.ts';
import { operationOf } from './openapi/checks.ts';
import { undecodableOptions } from './options.ts';
import { lenientRoute, type Route } from './route.ts';

const OPTIONS = Object.keys(callOptions.shape);
const DEFAULTS = callOptions.parse({});
/** Members of bodies that hold pictures, under any client's name. */
const PICTURES = new Set([...checks.flatMap(imageInputs), ...PHOTOGRAPHS]);

/** Some clients leave out `/api`: the same call on another path. */
function call(check: Check, { method, path, names, translate }: Omit<Alias, 'check'>, isDocumented: boolean): Route[] {
  const taken = [...Object.keys(check.input.shape).map((field) => names?.[field] ?? field), ...OPTIONS];
  const birthDate = birthDateOf(check, names);
  if (birthDate) taken.push(birthDate.other);
  return spellings(path).map((spelling, at) =>
    lenientRoute(
      {
        method: method === 'GET' ? 'get' : 'post',
        path: spelling,
        who: 'app',
        scope: 'verify',
        audit: { none: 'its job is its record' },
        isCall: true,
        head: false,
        ownBody: {},
        async handle(c, { service }) {
          const pictures = imageInputs(check).length > 0 ? new SentPictures(PICTURES) : undefined;
          const sent = method === 'GET' ? readQuery(c, taken) : await readBody(c, check, pictures);
          const photographs = photographsOf(path, sent);
          if (photographs) return answer(service, c, knownCheck(photographs.check), sent, photographs.names, pictures);
          const answering = answeringCheck(check, translate ? checked(translate, sent) : sent);
          return answer(service, c, answering.check, answering.raw, namesIn(answering.raw, birthDate, names), pictures);
        },
      },
      isDocumented && at === 0 ? () => operationOf(check) : null,
    ),
  );
}

export const checkRoutes: readonly Route[] = [
  ...checks.flatMap((check) => call(check, check.route, true)),
  ...aliases.flatMap((alias) => call(knownCheck(alias.check), alias, false)),
];

async function answer(
  service: Service,
  c: Http,
  check: Check,
  raw: Record<string, unknown>,
  names?: Names,
  sentPictures?: SentPictures,
): Promise<Response> {
  const { cache: cacheMode } = OPTIONS.some((name) => name in raw) ? checked(callOptions, supplied(raw)) : DEFAULTS;
  const { entity, billedKobo, cached, latencyMs } = await answerCall(service, callerOf(c), check, raw, {
    names,
    cacheMode,
    consent: consentOfCall(c, raw),
    client: c.get('place')?.client,
    sentPictures,
    claim: c.get('claim'),
  });
  return c.json({
    status: 'success',
    entity,
    billed_amount: naira(billedKobo),
    cached,
    meta: {
      request_id: c.get('requestId'),
      service: check.service,
      latency_ms: latencyMs,
      ...(check.stage !== null && { stage: check.stage }),
    },
  });
}

/** `names`, with the date of birth under the name that was sent. */
function namesIn(raw: Record<string, unknown>, birthDate: ReturnType<typeof birthDateOf>, names: Names | undefined): Names | undefined {
  if (!birthDate) return names;
  const { field, taken, other } = birthDate;
  if (!isSupplied(raw[other])) return names;
  if (!isSupplied(raw[taken])) return { ...names, [field]: other };
  if (raw[taken] === raw[other]) return names;
  const message = `differs from ${taken}, which is the same input`;
  throw new ApiError('invalid_request', `${other} ${message}`, { details: [{ path: other, message, rule: 'repeated' }] });
}

/** As with inputs, a null or empty option counts as not supplied. */
const supplied = (raw: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(OPTIONS.flatMap((name) => (isSupplied(raw[name]) ? [[name, raw[name]]] : [])));

const isSupplied = (value: unknown): boolean => (value ?? '') !== '';

/** Refuses inputs that can be read in more than one way: either reading might be the wrong one, and it would be charged. */
function readQuery(c: Http, names: readonly string[]): Record<string, string> {
  const sent = c.req.queries();
  const repeated = names.filter((name) => (sent[name]?.length ?? 0) > 1);
  const undecodable = undecodableOptions(c).filter(({ path }) => names.includes(path));
  if (repeated.length + undecodable.length === 0) return c.req.query();
  const details = [...repeated.map(repeatedOption), ...undecodable];
  throw new ApiError('invalid_request', details.map(({ path, message }) => `${path} ${message}`).join('; '), { details });
}

const readBody = (c: Http, check: Check, pictures: SentPictures | undefined): Promise<Record<string, unknown>> =>
  jsonBody(c, z.looseObject({}, 'must be a JSON object'), check.bodyBytesMax, pictures && tooLarge, pictures);
