/** The catalogue of checks for an app: what each takes, where it is called, and what to try it with. Prices are at `/prices`. */
import type { z } from 'zod';
import type { Owner } from '../access/owner.ts';
import { checks } from '../checks/catalog.ts';
import type { Check } from '../checks/check.ts';
import { cellForms, imageInputs, inputChoices } from '../checks/inputs.ts';
import type { checkAnswer } from '../contract/checks.ts';
import { callerOf, envelope } from './http.ts';
import { exampleInput } from './openapi/example-inputs.ts';
import { answer } from './openapi/operation.ts';
import { type JsonSchema, listOf, refTo, schemaOf } from './openapi/schema.ts';
import { route } from './route.ts';
import { samplesOf } from './samples.ts';
import type { Tools } from './tools.ts';

type Shown = z.infer<typeof checkAnswer>;

export const catalogueRoutes = [
  route({
    tag: 'catalogue',
    who: 'app',
    scope: 'verify',
    method: 'get',
    path: '/api/v1/checks',
    id: 'listChecks',
    audit: { none: 'shows nobody' },
    summary: 'Every check that the key may run, with its inputs; for a test key also values to try it with',
    answers: { 200: answer('The checks, by family', listOf(refTo('Check'))) },
    handle(c, { service }) {
      const owner = callerOf(c);
      const allowed = checks.filter(({ id }) => owner.terms?.checks?.includes(id) ?? true);
      return envelope(c, { object: 'list', data: allowed.map((check) => showCheck(service, owner, check)) });
    },
  }),
];

const showCheck = ({ router }: Tools['service'], { live }: Owner, check: Check): Shown => ({
  id: check.id,
  object: 'check',
  family: check.family,
  summary: check.summary,
  service: check.service,
  stage: check.stage,
  method: check.route.method,
  path: check.route.path,
  cacheable: check.cacheable,
  available: router.configured(check.needs, live),
  inputs: inputsOf(check),
  samples: live ? [] : samplesOf(check),
});

/** Reading a schema takes a while, and declarations do not change. */
const inputs = new Map<string, Shown['inputs']>();

function inputsOf(check: Check): Shown['inputs'] {
  const known = inputs.get(check.id);
  if (known) return known;
  const { properties, required = [] } = schemaOf(check.input, 'input') as { properties: Record<string, JsonSchema>; required?: string[] };
  const [images, examples] = [imageInputs(check), exampleInput(check)];
  const made = Object.entries(properties).map(([name, schema]): Shown['inputs'][number] => {
    const form = images.includes(name) ? 'image' : formOf(check, name, schema);
    return {
      name,
      form,
      required: required.includes(name),
      description: (schema.description as string | undefined) ?? null,
      choices: form === 'choice' ? [...inputChoices.get(check.input.shape[name]!)!.choices] : null,
      example: form === 'image' ? null : (examples?.[name] ?? null),
    };
  });
  inputs.set(check.id, made);
  return made;
}

/** Longer texts need more than a line. */
const LINE_MAX = 1000;

function formOf({ input }: Check, name: string, { type, anyOf, maxLength }: JsonSchema): Shown['inputs'][number]['form'] {
  const schema = input.shape[name]!;
  if (inputChoices.get(schema)) return 'choice';
  const written = cellForms.get(schema)?.form;
  if (written === 'digits' || written === 'date') return written;
  const types = [type, ...((anyOf as JsonSchema[] | undefined) ?? []).map((one) => one.type)].flat();
  if (types.includes('number')) return 'number';
  return Number(maxLength) > LINE_MAX ? 'long_text' : 'text';
}
