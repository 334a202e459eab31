/** A call as code: curl, the TypeScript client, Python. Keys come from the environment; pictures from their files. */
import type { Check } from '../../client/checks.ts';

export interface Shown {
  check: Pick<Check, 'method' | 'path'>;
  /** Texts by input; for an image, the name of its file. */
  input: Readonly<Record<string, string>>;
  images: readonly string[];
  /** The header Consent, if one is sent. */
  consent: string | null;
  /** With the slash at its end. */
  baseUrl: string;
  app: string;
}

export const LANGUAGES = [
  ['curl', 'curl'],
  ['typescript', 'TypeScript'],
  ['python', 'Python'],
] as const;

export type Language = (typeof LANGUAGES)[number][0];

export const snippetOf = (language: Language, shown: Shown): string => WRITERS[language](shown);

const WRITERS: Readonly<Record<Language, (shown: Shown) => string>> = { curl, typescript, python };

const addressOf = ({ baseUrl, check }: Shown): string => new URL(check.path.replace(/^\//, ''), baseUrl).href;

/** In single quotes, for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function curl(shown: Shown): string {
  const { check, input, images, consent, app } = shown;
  const query = new URLSearchParams(input).toString();
  const headers = [
    `-H "Authorization: $CONFAM_KEY"`,
    `-H ${quoted(`AppId: ${app}`)}`,
    ...(consent ? [`-H ${quoted(`Consent: ${consent}`)}`] : []),
  ];
  const lines = (...parts: string[]) => parts.join(' \\\n  ');
  if (check.method === 'GET') return lines(`curl ${quoted(`${addressOf(shown)}${query && `?${query}`}`)}`, ...headers);
  const post = [`curl ${quoted(addressOf(shown))}`, ...headers, `-H 'Content-Type: application/json'`];
  if (images.length === 0) return lines(...post, `-d ${quoted(JSON.stringify(input))}`);
  // A picture is too long for an argument: the body is put together on the way.
  const texts = JSON.stringify(Object.fromEntries(Object.entries(input).filter(([name]) => !images.includes(name))));
  const begun = texts === '{}' ? '{' : ',';
  const pictures = images.map(
    (name, at) => `printf '${at === 0 ? begun : ','}"${name}":"'; base64 < ${quoted(input[name]!)} | tr -d '\\n'; printf '"'`,
  );
  const open = texts === '{}' ? [] : [`printf %s ${quoted(texts.slice(0, -1))}`];
  return `{ ${[...open, ...pictures, `printf '}'`].join('\n  ')}; } |\n${lines(...post, '-d @-')}`;
}

function typescript(shown: Shown): string {
  const { check, input, images, consent, app, baseUrl } = shown;
  const members = Object.entries(input).map(([name, value]) =>
    images.includes(name) ? `  ${name}: (await readFile(${json(value)})).toString('base64'),` : `  ${name}: ${json(value)},`,
  );
  return [
    ...(images.length > 0 ? [`import { readFile } from 'node:fs/promises';`] : []),
    `import { openClient } from './src/client/client.ts';`,
    '',
    'const confam = openClient({',
    `  baseUrl: ${json(baseUrl)},`,
    `  caller: () => ({ key: process.env.CONFAM_KEY!, app: ${json(app)} }),`,
    '});',
    `const check = { method: ${json(check.method)}, path: ${json(check.path)} } as const;`,
    `const { entity, billed_amount } = await confam.checks.call(check, {`,
    ...members,
    consent ? `}, { consent: ${consent} });` : '});',
    'console.log(entity, billed_amount);',
  ].join('\n');
}

function python(shown: Shown): string {
  const { check, input, images, consent, app } = shown;
  const members = Object.entries(input).map(([name, value]) =>
    images.includes(name)
      ? `    ${json(name)}: base64.b64encode(open(${json(value)}, "rb").read()).decode(),`
      : `    ${json(name)}: ${json(value)},`,
  );
  return [
    `${images.length > 0 ? 'import base64, os' : 'import os'}`,
    'import requests',
    '',
    `answer = requests.${check.method.toLowerCase()}(`,
    `    ${json(addressOf(shown))},`,
    `    headers={"Authorization": os.environ["CONFAM_KEY"], "AppId": ${json(app)}${consent ? `, "Consent": ${json(consent)}` : ''}},`,
    `    ${check.method === 'GET' ? 'params' : 'json'}={`,
    ...members.map((line) => `    ${line}`),
    '    },',
    '    timeout=60,',
    ')',
    'answer.raise_for_status()',
    'print(answer.json()["entity"])',
  ].join('\n');
}

/** A string literal in both languages. */
const json = (text: string): string => JSON.stringify(text);
