/** A check's call as code: curl, and the clients for TypeScript and Python. The console shows it for what somebody typed, `docs/checks.md` for each check. */
import { asciiJson, type CallOptions, type Check } from './checks.ts';

export interface SampleCall {
  check: Pick<Check, 'id' | 'family' | 'method' | 'path'>;
  /** By input; for a picture, the name of its file. */
  input: Readonly<Record<string, string | number>>;
  /** Names of the inputs that are pictures. */
  images: readonly string[];
  consent?: CallOptions['consent'] | null;
}

/** A value that the code reads from an environment variable or states. */
type Setting = { env: string } | { text: string };

/** Where the service is, and who calls it. */
export interface Caller {
  baseUrl: Setting;
  key: Setting;
  app: Setting;
}

/** By the names that Markdown has for the languages. */
export const LANGUAGES = [
  ['sh', 'curl'],
  ['ts', 'TypeScript'],
  ['python', 'Python'],
] as const;

export type Language = (typeof LANGUAGES)[number][0];

const LINE_MAX = 120;

/** The check's name within its family: `nin_advance` is `nin.advance`, `tin` is `tin.lookup`. */
export function methodOf({ id, family }: Pick<Check, 'id' | 'family'>): string {
  const words = id.split('_').filter((word) => word !== family);
  return words.length === 0 ? 'lookup' : words.join('_');
}

export const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A whole program, or command. */
export function programOf(language: Language, caller: Caller, call: SampleCall): string {
  const start = language === 'sh' ? '' : `${preambles[language](caller, call.images.length > 0)}\n`;
  return `${start}${sampleOf(language, caller, call)}`;
}

/** The call alone. A program begins with the preamble of its language. */
export const sampleOf = (language: Language, caller: Caller, call: SampleCall): string => writers[language](call, caller);

/** What comes before the calls of a program. */
export const preambles = { ts: typescriptPreamble, python: pythonPreamble } as const;

const writers = { sh: curl, ts: typescript, python } as const;

const inShell = (setting: Setting): string => ('env' in setting ? `$${setting.env}` : unexpanded(setting.text).replaceAll('"', '\\"'));
const inTypescript = (setting: Setting): string => ('env' in setting ? `process.env.${setting.env}!` : single(setting.text));
const inPython = (setting: Setting): string => ('env' in setting ? `os.environ["${setting.env}"]` : JSON.stringify(setting.text));

/** So that a shell replaces nothing in it, between double quotes or in a here-document. */
const unexpanded = (text: string): string => text.replace(/[\\$`]/g, '\\$&');
/** In single quotes, for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** In single quotes, for TypeScript. */
const single = (text: string): string => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

function curl({ check: { method, path }, input, images, consent }: SampleCall, { baseUrl, key, app }: Caller): string {
  const headers = [
    `-H "Authorization: ${inShell(key)}"`,
    `-H "AppId: ${inShell(app)}"`,
    ...(consent ? [`-H ${quoted(`Consent: ${asciiJson(consent)}`)}`] : []),
  ];
  const address = `${inShell(baseUrl)}${path}`;
  if (method === 'GET') {
    const query = new URLSearchParams(Object.entries(input).map(([name, value]): [string, string] => [name, String(value)])).toString();
    return `curl ${headers.join(' ')} "${address}${query && `?${query}`}"`;
  }
  const start = `curl ${headers.join(' ')} -H 'Content-Type: application/json' "${address}" \\\n  -d`;
  if (images.length === 0) return `${start} ${quoted(JSON.stringify(input))}`;
  // A picture is too long for an argument: the body goes through standard input.
  const members = Object.entries(input).map(([name, value]) => {
    const file = String(value);
    const shown = images.includes(name)
      ? `"$(base64 < ${/^[\w.-]+$/.test(file) ? file : quoted(file)} | tr -d '\\n')"`
      : unexpanded(JSON.stringify(value));
    return `${JSON.stringify(name)}:${shown}`;
  });
  return `${start} @- <<JSON\n{${members.join(',')}}\nJSON`;
}

function typescriptPreamble({ baseUrl, key, app }: Caller, hasPictures: boolean): string {
  const imports = [...(hasPictures ? [`import { readFileSync } from 'node:fs';`] : []), `import { createClient } from 'confam/client';`];
  const client = `const client = createClient({ baseUrl: ${inTypescript(baseUrl)}, key: ${inTypescript(key)}, app: ${inTypescript(app)} });`;
  const picture = hasPictures ? `const picture = (file: string) => readFileSync(file, 'base64');\n` : '';
  return `${imports.join('\n')}\n\n${client}\n${picture}`;
}

function pythonPreamble({ baseUrl, key, app }: Caller, hasPictures: boolean): string {
  const imports = `import ${hasPictures ? 'base64, os, pathlib' : 'os'}\nfrom confam import Confam`;
  const client = `client = Confam(${inPython(baseUrl)}, key=${inPython(key)}, app=${inPython(app)})`;
  const picture = hasPictures ? '\n\ndef picture(file):\n    return base64.b64encode(pathlib.Path(file).read_bytes()).decode()\n' : '';
  return `${imports}\n\n${client}\n${picture}`;
}

function typescript({ check, input, images, consent }: SampleCall): string {
  const members = Object.entries(input).map(
    ([name, value]) =>
      `${name}: ${images.includes(name) ? `picture(${single(String(value))})` : typeof value === 'number' ? value : single(value)}`,
  );
  const options = consent ? `, { consent: ${JSON.stringify(consent)} }` : '';
  const call = `const { entity } = await client.${check.family}.${camelCase(methodOf(check))}(`;
  return `${fitted(call, '{ ', members, ' }', `${options});`)}\nconsole.log(entity);`;
}

function python({ check, input, images, consent }: SampleCall): string {
  const members = Object.entries(input).map(
    ([name, value]) => `${name}=${images.includes(name) ? `picture(${JSON.stringify(value)})` : JSON.stringify(value)}`,
  );
  const all = [...members, ...(consent ? [`consent=${JSON.stringify(consent)}`] : [])];
  return `${fitted(`answer = client.${check.family}.${methodOf(check)}(`, '', all, '', ')')}\nprint(answer["entity"])`;
}

/** On one line, or with each argument on its own. */
function fitted(call: string, open: string, members: readonly string[], close: string, end: string): string {
  const line = `${call}${open}${members.join(', ')}${close}${end}`;
  if (line.length <= LINE_MAX) return line;
  const indent = open === '' ? '    ' : '  ';
  return `${call}${open.trim()}\n${members.map((member) => `${indent}${member},\n`).join('')}${close.trim()}${end}`;
}
