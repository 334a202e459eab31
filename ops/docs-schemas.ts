/** Writes the JSON Schemas of the files that operators write (`npm run docs:schemas`), from the schemas that validate them; a test fails if one is stale. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { listsFile } from '../src/aml/definitions.ts';
import { schemaOf } from '../src/api/openapi/schema.ts';
import { packageRoot } from '../src/foundation/package-root.ts';
import { upstreamsFile } from '../src/providers/upstreams.ts';
import { scriptSchema } from '../src/simulator/script.ts';

const render = (title: string, schema: z.ZodType): string =>
  `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...schemaOf(schema, 'input') }, null, 2)}\n`;

/** By path. */
export const publishedSchemas: Record<string, string> = {
  [join(packageRoot(), 'docs/upstreams.schema.json')]: render('Providers that answer live keys (CONFAM_UPSTREAMS)', upstreamsFile),
  [join(packageRoot(), 'docs/lists.schema.json')]: render('Watch lists (CONFAM_LISTS)', listsFile),
  [join(packageRoot(), 'docs/upstream-sim.schema.json')]: render('Script of confam upstream-sim', scriptSchema),
};

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [path, text] of Object.entries(publishedSchemas)) writeFileSync(path, text);
