/** Answers of every check over HTTP, validated against the schemas that `/openapi.json` publishes for their paths. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import { exampleInput } from '../../src/api/openapi/example-inputs.ts';
import { checks, knownCheck } from '../../src/checks/catalog.ts';
import type { Check } from '../../src/checks/check.ts';
import { skipNote } from '../engines/face/faces.ts';
import { type Answer, type TestApp, useApi } from '../setup/api.ts';
import { again, base64, canCompare, enrol, one } from '../setup/face-pictures.ts';
import { listsIndexed } from '../setup/screening.ts';

const api = useApi({ CONFAM_FACE_THREADS: '1' });
beforeAll(() => listsIndexed(api.service));
let app: TestApp;
let validate: (method: string, path: string, answer: Answer<unknown>) => string[];
beforeAll(async () => {
  app = await api.createApp({ naira: 1_000_000 });
  const document = (await (await fetch(`${api.url}/openapi.json`)).json()) as object;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, 'document');
  validate = (method, path, { status, body }) => {
    const pointer = ['paths', path, method, 'responses', String(status), 'content', 'application/json', 'schema']
      .map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    const check = ajv.getSchema(`document#/${pointer}`);
    if (!check) return [`${method} ${path} ${status} is not documented`];
    return check(body)
      ? []
      : check.errors!.map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
  };
});

const call = ({ route: { method, path } }: Pick<Check, 'route'>, input: Record<string, unknown>): Promise<Answer<unknown>> =>
  method === 'GET' ? app.get(`${path}?${new URLSearchParams(input as Record<string, string>)}`) : app.post(path, input);

async function expectPublished(check: Check, input: Record<string, unknown>, statuses: readonly number[]): Promise<void> {
  const answer = await call(check, input);
  expect(statuses, `${check.id}: ${answer.text.slice(0, 300)}`).toContain(answer.status);
  expect(validate(check.route.method.toLowerCase(), check.route.path, answer), check.id).toEqual([]);
}

describe('an answer fits its published schema', () => {
  const pictured = checks.filter(({ family }) => family === 'face');
  test.each(checks.filter((check) => !pictured.includes(check)).map((check) => [check.id] as const))('%s', async (id) => {
    const check = knownCheck(id);
    await expectPublished(check, exampleInput(check)!, [200]);
    // A number not on record, a missing input, and an unreadable request.
    const input = exampleInput(check)!;
    const [first] = Object.keys(input) as [string];
    await expectPublished(check, { ...input, [first]: '00000000001' }, [200, 404, 400, 422, 503]);
    await expectPublished(check, {}, [400]);
  });

  describe.skipIf(!canCompare)(skipNote('of pictures'), () => {
    const pictures = { image: one, selfie_image: one, photoid_image: again };
    test.each(pictured.map((check) => [check.id] as const))('%s', async (id) => {
      const check = knownCheck(id);
      const input: Record<string, unknown> = { ...exampleInput(check)! };
      for (const [name, picture] of Object.entries(pictures)) if (name in input) input[name] = base64(picture());
      for (const type of ['nin', 'bvn'] as const) {
        const number = input[type] ?? (String(input.id_type).toLowerCase() === type ? input.id_number : undefined);
        if (number !== undefined) expect([200, 201]).toContain((await enrol(app, type, String(number), again())).status);
      }
      await expectPublished(check, input, [200]);
      await expectPublished(check, {}, [400]);
    });

    test('two photographs on the path of photoid_verify', async () => {
      const photoId = knownCheck('photoid_verify');
      for (const name of ['photoid_image', 'photo_id'])
        await expectPublished(photoId, { selfie_image: base64(one()), [name]: base64(again()) }, [200]);
    });
  });
});
