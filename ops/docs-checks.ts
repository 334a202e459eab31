/** Writes `docs/checks.md` from the catalogue (`npm run docs:checks`); a test fails if it is stale. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHECK_ERRORS, exampleAnswer } from '../src/api/openapi/checks.ts';
import { exampleInput } from '../src/api/openapi/example-inputs.ts';
import { exampleEntity } from '../src/api/openapi/examples.ts';
import { type JsonSchema, schemaOf } from '../src/api/openapi/schema.ts';
import { cell, memberRows, rulesOf } from '../src/api/openapi/tables.ts';
import { checks } from '../src/checks/catalog.ts';
import type { Check } from '../src/checks/check.ts';
import { imageInputs } from '../src/checks/inputs.ts';
import type { RecordKind } from '../src/checks/provider.ts';
import { type Caller, LANGUAGES, type Language, preambles, type SampleCall, sampleOf } from '../src/client/code-samples.ts';
import { naira } from '../src/contract/fields.ts';
import { type ErrorCode, errorCodes } from '../src/foundation/errors.ts';
import { packageRoot } from '../src/foundation/package-root.ts';
import { cacheLifetime } from '../src/pipeline/cache.ts';
import type { Script } from '../src/sandbox/faults.ts';
import { registries } from '../src/sandbox/registries.ts';

export const CHECKS_FILE = join(packageRoot(), 'docs/checks.md');

/** As the page says it. */
export const CALLER: Caller = { baseUrl: { env: 'BASE' }, key: { env: 'KEY' }, app: { env: 'APP' } };

const DAY_SECONDS = 86_400;

/** What comes before the last digit of scripted identifiers, by record kind. */
const STEMS: Partial<Record<RecordKind, string>> = {
  nin: '0000000000',
  bvn: '0000000000',
  cac: '000000',
  tin: '0000000000',
  drivers_license: 'ABC00000000',
  passport: 'A0000000',
  voter_card: '000000000000000000',
  phone: '0000000000',
  address: '0000000000',
};
const OUTCOMES: Record<Script, string> = {
  found: 'found',
  not_found: 'not found',
  down: 'down',
  slow: 'found after 3 s',
  limited_once: 'rate-limited once, then found',
  down_once: 'down once, then found',
};

/** The text of `docs/checks.md`. */
export async function renderChecks(): Promise<string> {
  const sections = await Promise.all(checks.map(section));
  return `${introduction()}\n${sections.join('\n')}`;
}

function introduction(): string {
  const { foundSeconds, notFoundSeconds } = cacheLifetime;
  const list = checks.map((check) => {
    const { method, path } = check.route;
    const cached = check.cacheable ? naira(check.cachedPriceKobo) : '–';
    return `| [\`${check.id}\`](#${check.id}) | \`${method} ${path}\` | ${naira(check.priceKobo)} | ${cached} | ${check.stage ?? 'available'} |`;
  });
  const codes: ErrorCode[] = [...CHECK_ERRORS, 'unauthenticated', 'rate_limited'];
  const errors = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => codes.includes(code));
  return `# Checks

<!-- Written by \`npm run docs:checks\` from src/checks/; edit it there. -->

| check | call | ₦ | ₦ cached | |
|---|---|---|---|---|
${list.join('\n')}

Each is a single call on its own path, a job (\`POST /api/v1/jobs\` with \`{"check": "<id>", "input": {…}}\`) and a column set of a batch
(\`checks=<id>\`). GET takes its input as query parameters, POST as a JSON body. A call ignores unknown inputs, a job
refuses them; an empty optional input counts as not sent. \`cache=refresh\`, in the query or the body, forces a live look-up at the live price.

**Cache.** A found record is cached for ${foundSeconds / DAY_SECONDS} days, a miss for ${notFoundSeconds / 60} minutes. A record from a richer check also answers
a poorer one of the same registry. An answer from the cache has \`"cached": true\` and costs the cached price; "not on record" costs nothing.

**Errors.** Every refusal has the form of [errors.md](errors.md):

| status | code | meaning |
|---|---|---|
${errors.map((code) => `| ${errorCodes[code].status} | \`${code}\` | ${errorCodes[code].meaning} |`).join('\n')}

**Samples.** Each works as shown, with a test key. In the shell, \`BASE\` is the address of the service, and \`KEY\` and \`APP\` are in \`.data/sandbox.json\` ([README](../README.md#first-call)); export them for the programs, which begin as
follows ([clients](clients.md)). \`picture\` reads a file as base64.

\`\`\`ts
${preambles.ts(CALLER, true)}\`\`\`

\`\`\`python
${preambles.python(CALLER, true)}\`\`\`

**Sandbox.** With a test key, every well-formed identifier is found; scripted ones behave as listed. See [sandbox.md](sandbox.md). Examples are
the sandbox’s answers; images are shortened.
`;
}

async function section(check: Check): Promise<string> {
  const { method, path } = check.route;
  const entity = await exampleEntity(check);
  const input = exampleInput(check) ?? {};
  const label = check.stage === null ? '' : `\nAnnounced: **${check.stage}**. It works with test keys.\n`;
  return `## ${check.id}

${check.summary}

\`${method} ${path}\`, \`meta.service\` is \`${check.service}\`. ${priceOf(check)}.
${label}${check.flag === null ? '' : `\nFlagged in lists and counts ([batches](batches.md#flagged)): ${check.flag.when}.\n`}
| input | | rules | example |
|---|---|---|---|
${inputRows(check, input)}

| member | type | |
|---|---|---|
${memberRows('', schemaOf(check.entity, 'output'))}
${entity ? scripts(check) : ''}
${samples(check)}

${entity ? `\`\`\`json\n${JSON.stringify(exampleAnswer(check, entity), null, 2)}\n\`\`\`` : FACES}
`;
}

/** Shown instead of an answer, which would need a picture of a person. */
const FACES =
  'The pictures must each show a face. What the answer says is in [biometrics.md](biometrics.md#the-checks); without [models](biometrics.md#models) it is 503 `provider_not_configured`.';

/** The site shows one at a time, with a tab for each language. */
const samples = (check: Check): string =>
  LANGUAGES.map(([language]) => `\`\`\`${language}\n${checkSample(check, language)}\n\`\`\``).join('\n\n');

export const checkSample = (check: Check, language: Language): string => sampleOf(language, CALLER, callOf(check));

function callOf(check: Check): SampleCall {
  const { properties } = schemaOf(check.input, 'input') as { properties: Record<string, JsonSchema> };
  const images = imageInputs(check);
  const input = Object.entries(exampleInput(check) ?? {}).map(([name, value]) => {
    if (images.includes(name)) return [name, name.startsWith('photoid') ? 'document.jpg' : 'selfie.jpg'];
    return [name, takesNumber(properties[name]!) ? Number(value) : value];
  });
  return { check: { ...check.route, id: check.id, family: check.family }, input: Object.fromEntries(input), images };
}

const takesNumber = ({ type, anyOf }: JsonSchema): boolean =>
  [type].flat().some((one) => one === 'number' || one === 'integer') || ((anyOf as JsonSchema[] | undefined)?.some(takesNumber) ?? false);

/** A check that is never answered from the cache has one price. */
const priceOf = ({ cacheable, priceKobo, cachedPriceKobo, priceRule }: Check): string =>
  `₦${naira(priceKobo)}, ${cacheable ? `from the cache ₦${naira(cachedPriceKobo)}` : 'never from the cache'}${priceRule === null ? '' : `. ${priceRule}`}`;

function inputRows(check: Check, example: Record<string, string>): string {
  const { properties, required = [] } = schemaOf(check.input, 'input') as { properties: Record<string, JsonSchema>; required?: string[] };
  return Object.entries(properties)
    .map(([name, schema]) => {
      const shown = example[name] === undefined ? '' : `\`${cut(example[name])}\``;
      return `| \`${name}\` | ${required.includes(name) ? 'required' : 'optional'} | ${cell(rulesOf(schema))} | ${shown} |`;
    })
    .join('\n');
}

const cut = (text: string): string => (text.length > 40 ? `${text.slice(0, 24)}…` : text);

/** The scripted identifiers of the records that the check looks up, taken from the registry itself. */
function scripts(check: Check): string {
  const kinds = (Object.keys(check.needs.all) as RecordKind[]).filter(
    (kind, i, all) => all.findIndex((other) => STEMS[other] === STEMS[kind]) === i,
  );
  const lists = kinds.flatMap((kind) => {
    const [stem, registry] = [STEMS[kind], registries[kind]];
    if (stem === undefined || registry === undefined) return [];
    const digits = [...'0123456789'].map((digit) => [`${stem}${digit}`, registry.script(`${stem}${digit}`)] as const);
    return digits
      .filter(([, script], i) => digits.findIndex(([, other]) => other === script) === i)
      .map(([number, script]) => `\`${number}\` ${OUTCOMES[script]}`);
  });
  return lists.length === 0 ? '' : `\nScripted in the sandbox: ${lists.join(', ')}.\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(CHECKS_FILE, await renderChecks());
