/**
 * Finds regular expressions that some text can make slow (`npm run lint:expressions`). recheck examines each one in `src` and `workers`; one that it cannot
 * show to take linear time fails, as does one that is assembled at run time and cannot be examined. A verdict counts until the expression changes.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { check, type VulnerableDiagnostics } from 'recheck';
import ts from 'typescript';
import { packageRoot } from '../src/foundation/package-root.ts';

/** Ten times what the slowest expression takes. */
const TIMEOUT_MS = 60_000;
/** recheck's attacks are built to take some seconds. */
const REFUTED_MS = 150;
const FOLDERS = ['src', 'workers'];

const root = packageRoot();
const remembered = join(root, 'node_modules/.cache/confam-expressions.json');

interface Expression {
  source: string;
  flags: string;
  places: string[];
}

/** By its text as written. */
const expressions = new Map<string, Expression>();
const faults: string[] = [];

function collect(file: string): void {
  const parsed = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const placeOf = (node: ts.Node) => `${file}:${parsed.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      const known = expressions.get(node.text) ?? { source: node.text.slice(1, end), flags: node.text.slice(end + 1), places: [] };
      known.places.push(placeOf(node));
      expressions.set(node.text, known);
    }
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp')
      faults.push(`${placeOf(node)}: an expression that is assembled at run time`);
    ts.forEachChild(node, visit);
  };
  visit(parsed);
}

function readVerdicts(): Set<string> {
  try {
    return new Set(JSON.parse(readFileSync(remembered, 'utf8')) as string[]);
  } catch {
    return new Set();
  }
}

/**
 * Where recheck cannot prove anything (look-around), it guesses by fuzzing and counts the steps of its own engine. We try its attack on our engine; a guess
 * that takes no time here is refuted.
 */
function isRefuted(source: string, flags: string, { checker, complexity, attack }: VulnerableDiagnostics): boolean {
  if (checker !== 'fuzz' || complexity.type !== 'polynomial') return false;
  const expression = new RegExp(source, flags);
  const began = performance.now();
  expression.test(attack.string);
  return performance.now() - began < REFUTED_MS;
}

for (const folder of FOLDERS)
  for (const file of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.ts')) collect(join(folder, file));

const safe = readVerdicts();
const unknown = [...expressions].filter(([text]) => !safe.has(text));
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    for (let next = unknown.pop(); next; next = unknown.pop()) {
      const [text, { source, flags, places }] = next;
      const verdict = await check(source, flags, { timeout: TIMEOUT_MS });
      if (verdict.status === 'safe' || (verdict.status === 'vulnerable' && isRefuted(source, flags, verdict))) safe.add(text);
      else {
        const how =
          verdict.status === 'vulnerable' ? `${verdict.complexity.summary}, as for ${verdict.attack.pattern}` : verdict.error.kind;
        faults.push(`${places.join(', ')}: ${text} is not shown to take linear time (${how})`);
      }
    }
  }),
);
mkdirSync(dirname(remembered), { recursive: true });
writeFileSync(remembered, JSON.stringify([...safe].filter((text) => expressions.has(text))));

for (const fault of faults) console.error(fault);
console.log(`${expressions.size} regular expressions: ${faults.length} problems`);
// recheck's own process would keep this one waiting.
process.exit(faults.length === 0 ? 0 : 1);
