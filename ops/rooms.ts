/**
 * The rooms of the tree and the law of imports: a file imports only from its own room and from rooms below it, and no imports form a circle. `npm run
 * lint:imports` checks that, and that the picture and the code map in `docs/ARCHITECTURE.md` are current; `npm run graph` redraws the picture.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cruise, type IForbiddenRuleType } from 'dependency-cruiser';
import { packageRoot } from '../src/foundation/package-root.ts';

/** From the top down. */
const ROOMS = [
  'src/console',
  'src/cli.ts',
  'src/cli',
  'src/client',
  'src/simulator',
  'workers',
  'src/api',
  'src/doctor',
  'src/lifecycle',
  'src/pipeline',
  'src/results',
  'src/reports',
  'src/batches',
  'src/aml',
  'src/faces',
  'src/email',
  'src/providers',
  'src/sandbox',
  'src/money',
  'src/approvals',
  'src/reviews',
  'src/webhooks',
  'src/jobs',
  'src/access',
  'src/contract',
  'src/checks',
  'src/engines',
  'src/names',
  'src/rows',
  'src/net',
  'src/schema',
  'src/embedded',
  'src/foundation',
] as const;

const PICTURE = join(packageRoot(), 'docs/ARCHITECTURE.md');
const START = '<!-- rooms: npm run graph -->\n';
const END = '<!-- /rooms -->';

const pattern = (room: string): string => (room.endsWith('.ts') ? `^${room}$` : `^${room}/`);
const anyOf = (rooms: readonly string[]): string => rooms.map(pattern).join('|');
const roomOf = (file: string): string | undefined => ROOMS.find((room) => new RegExp(pattern(room)).test(file));

const law: IForbiddenRuleType[] = [
  { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
  // Code that runs in a browser knows the server only by its public API.
  {
    name: 'src/console imports only src/client',
    severity: 'error',
    from: { path: '^src/console/' },
    to: { path: '^src/(?!console/|client/)' },
  },
  {
    name: 'src/client imports only types',
    severity: 'error',
    from: { path: '^src/client/' },
    to: { path: '^src/(?!client/)', dependencyTypesNot: ['type-only'] },
  },
  // A wrong command line is refused, and help printed, without loading the service.
  {
    name: 'src/cli/commands loads the work of operators’ commands before they are called',
    severity: 'error',
    from: { path: '^src/cli/commands/' },
    to: {
      path: '^workers/|^src/foundation/context\\.ts$|^src/cli/(?!commands/|terminal/|usage-error\\.ts$)',
      dependencyTypesNot: ['dynamic-import', 'type-only'],
    },
  },
  ...ROOMS.slice(1).map(
    (room, above): IForbiddenRuleType => ({
      name: `${room} imports from above`,
      severity: 'error',
      from: { path: pattern(room) },
      to: { path: anyOf(ROOMS.slice(0, above + 1)) },
    }),
  ),
];

const { output } = await cruise(
  ['src', 'workers'],
  {
    baseDir: packageRoot(),
    includeOnly: '^(src|workers)',
    ruleSet: { forbidden: law },
    validate: true,
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
  undefined,
  undefined,
);
if (typeof output === 'string') throw new Error(output);
const { modules, summary } = output;

const homeless = modules.filter(({ source }) => roomOf(source) === undefined).map(({ source }) => source);
const broken = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
const arrows = new Set(
  modules.flatMap(({ source, dependencies }) => dependencies.map(({ resolved }) => `${roomOf(source)}>${roomOf(resolved)}`)),
);
for (const room of ROOMS) arrows.delete(`${room}>${room}`);

/** Draws an arrow only if no longer path leads to the same room: 150 arrows would hide the order that they keep. */
function draw(): string {
  const below = new Map<string, string[]>(ROOMS.map((room) => [room, ROOMS.filter((other) => arrows.has(`${room}>${other}`))]));
  const reaches = (from: string, to: string): boolean => below.get(from)!.some((next) => next === to || reaches(next, to));
  const lines = ROOMS.flatMap((room) =>
    below
      .get(room)!
      .filter((to) => !below.get(room)!.some((other) => other !== to && reaches(other, to)))
      .map((to) => `  ${short(room)} --> ${short(to)}`),
  );
  return `${START}\n\`\`\`mermaid\nflowchart TD\n${lines.join('\n')}\n\`\`\`\n\n${ROOMS.length} rooms, ${arrows.size} arrows between them; those implied by a longer path are not drawn.\n${END}`;
}

/** Rooms of files that are named by their subject: their rows of the code map name only the others. In `src/api`, files with routes are such. */
const BY_SUBJECT: readonly string[] = ['console', 'client', 'cli', 'simulator', 'contract', 'checks', 'schema', 'reports', 'sandbox'];

/** Where the code map and the rooms differ. A row names each file; a folder, or one of its files, stands for the folder. */
function staleRows(map: string): string[] {
  const withRoutes = new Set(modules.find(({ source }) => source === 'src/api/routes.ts')!.dependencies.map(({ resolved }) => resolved));
  return [...map.matchAll(/^\| `(.+\/)` \| (.*) \|$/gm)].flatMap(([, room, row]) => {
    const named = [...row!.matchAll(/`([a-z][a-z0-9/-]*)`/g)].map(([, name]) => name!);
    const files = modules
      .filter(({ source }) => source.startsWith(room!))
      .map(({ source }) => ({ source, name: source.slice(room!.length).replace(/\.tsx?$/, '') }));
    const gone = named.filter((name) => !files.some((file) => (name.endsWith('/') ? file.name.startsWith(name) : file.name === name)));
    const unnamed = files.filter(
      ({ source, name }) => !withRoutes.has(source) && !named.some((other) => other === name || folderOf(other) === folderOf(name)),
    );
    return [
      ...gone.map((name) => `docs/ARCHITECTURE.md: the code map names ${room}${name}, which does not exist`),
      ...(BY_SUBJECT.some((subject) => room === `src/${subject}/`) ? [] : unnamed).map(
        ({ source }) => `docs/ARCHITECTURE.md: the code map does not name ${source}`,
      ),
    ];
  });
}

/** The first folder of a path; for files of the room itself, the path. */
const folderOf = (path: string): string => path.replace(/\/.*/, '/');

const short = (room: string): string => (room === 'src/cli.ts' ? 'entry[cli.ts]' : room.replace('src/', ''));

for (const file of homeless) broken.push(`${file}: in no room of ops/rooms.ts`);
broken.push(...staleRows(readFileSync(PICTURE, 'utf8')));
// A circle has no order to draw.
if (broken.length === 0) {
  const text = readFileSync(PICTURE, 'utf8');
  const drawn = text.slice(0, text.indexOf(START)) + draw() + text.slice(text.indexOf(END) + END.length);
  if (process.argv.includes('--draw')) writeFileSync(PICTURE, drawn);
  else if (drawn !== text) broken.push('docs/ARCHITECTURE.md: the picture of the rooms is stale; run `npm run graph`');
}
for (const line of broken) console.error(line);
console.log(`imports: ${modules.length} files, ${ROOMS.length} rooms, ${broken.length} problems`);
process.exitCode = broken.length > 0 ? 1 : 0;
