/**
 * Builds `confam/client` into `dist/client/`: one file of JavaScript, and its types. `src/client/` takes types from `src/contract/` by `z.infer`; in the built
 * declarations each of them is written out, so that a program that uses the client needs neither zod nor anything else of this repository.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript';
import { packageRoot } from '../src/foundation/package-root.ts';

const root = packageRoot();
const SOURCES = join(root, 'src/client');
const ENTRY = join(SOURCES, 'confam.ts');
/** A stand-in file that imports nothing. */
const NOWHERE = join(SOURCES, 'nowhere.ts');
const FORMAT = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias | ts.TypeFormatFlags.UseSingleQuotesForStringLiteralType;
/** Utility types that are expanded whole when applied to a type from elsewhere, since they may leave out what cannot be written. */
const CHOOSING: ReadonlySet<string> = new Set(['Omit', 'Pick', 'Partial']);

/** Returns the names of the files. */
export async function buildClient(folder: string): Promise<string[]> {
  await bundleClient(folder);
  const types = declarations(writtenOut());
  for (const [name, text] of types) await writeFile(join(folder, name), text);
  return ['confam.js', ...types.keys()];
}

/** Only the JavaScript, `confam.js`. */
export async function bundleClient(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: [ENTRY],
    outdir: folder,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    logLevel: 'warning',
  });
}

/** The sources by path, without their imports from elsewhere. */
function writtenOut(): Map<string, string> {
  const program = programOf(new Map([[NOWHERE, 'export {};']]));
  const [checker, nowhere] = [program.getTypeChecker(), program.getSourceFile(NOWHERE)!];
  const files = program.getSourceFiles().filter((file) => dirname(file.fileName) === SOURCES && file !== nowhere);
  return new Map(files.map((file) => [file.fileName, closed(file, nowhere, checker)]));
}

/** By the names of their files. */
function declarations(sources: ReadonlyMap<string, string>): Map<string, string> {
  const files = new Map<string, string>();
  const { diagnostics } = programOf(sources).emit(undefined, (path, text) => {
    files.set(basename(path), text.replace(/((?:from |import\()['"]\.\/[\w-]+)\.ts(['"])/g, '$1.js$2'));
  });
  // A type without a name that others can import has no declaration: the whole file would be missing.
  for (const { messageText } of diagnostics) throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
  return files;
}

/** `texts`: contents that replace those of files, or of files that do not exist. */
function programOf(texts: ReadonlyMap<string, string>): ts.Program {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.console.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const settings = {
    ...options,
    incremental: false,
    tsBuildInfoFile: undefined,
    declaration: true,
    emitDeclarationOnly: true,
    noEmit: false,
  };
  const host = ts.createCompilerHost(settings);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.getSourceFile = (path, target, ...rest) => {
    const text = texts.get(path);
    return text === undefined ? getSourceFile(path, target, ...rest) : ts.createSourceFile(path, text, target);
  };
  return ts.createProgram([...new Set([ENTRY, ...texts.keys()])], settings, host);
}

interface Edit {
  start: number;
  end: number;
  text: string;
}

/** The file without its imports from elsewhere. */
function closed(file: ts.SourceFile, nowhere: ts.SourceFile, checker: ts.TypeChecker): string {
  const foreign = new Set<string>();
  const edits: Edit[] = [];
  const replace = (node: ts.Node, text: string) => edits.push({ start: node.getStart(file), end: node.end, text });
  // In the place of a file that imports nothing: names of other files are written as imports, all others out.
  const spelled = (type: ts.Type): string => {
    if (type.isClassOrInterface() && dirname(type.symbol.declarations![0]!.getSourceFile().fileName) !== SOURCES) return membersOf(type);
    const text = checker
      .typeToString(type, nowhere, FORMAT)
      .replaceAll(`import("${SOURCES}/`, 'import("./')
      .replace(/(import\("\.\/[\w-]+)"/g, '$1.ts"');
    if (/import\("(?!\.\/)/.test(text)) throw new Error(`${basename(file.fileName)}: ${text} cannot be written out`);
    return text;
  };
  const membersOf = (type: ts.Type): string => {
    const members = type.getProperties().map((member) => {
      const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0;
      return `${member.name}${isOptional ? '?' : ''}: ${spelled(checker.getTypeOfSymbol(member))};`;
    });
    return `{ ${members.join(' ')} }`;
  };

  const isForeign = (node: ts.Node): boolean => {
    if (ts.isQualifiedName(node)) return isForeign(node.left);
    if (ts.isTypeQueryNode(node)) return isForeign(node.exprName);
    if (ts.isImportTypeNode(node)) return !node.argument.getText(file).startsWith("'./");
    return ts.isIdentifier(node) && foreign.has(node.text);
  };
  const mentions = (node: ts.Node): boolean => isForeign(node) || (ts.forEachChild(node, mentions) ?? false);
  const chooses = ({ typeName, typeArguments = ts.factory.createNodeArray() }: ts.TypeReferenceNode): boolean =>
    CHOOSING.has(typeName.getText(file)) && typeArguments.some(mentions);
  const visit = (node: ts.Node): void => {
    if (ts.isImportTypeNode(node) && isForeign(node)) return void replace(node, spelled(checker.getTypeFromTypeNode(node)));
    if (ts.isTypeReferenceNode(node) && ([node.typeName, ...(node.typeArguments ?? [])].some(isForeign) || chooses(node))) {
      const text = spelled(checker.getTypeFromTypeNode(node));
      return void replace(node, ts.isTypeAliasDeclaration(node.parent) ? text : `(${text})`);
    }
    ts.forEachChild(node, visit);
  };

  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement)) {
      if ((statement.moduleSpecifier as ts.StringLiteral).text.startsWith('./')) continue;
      const { name, namedBindings } = statement.importClause!;
      if (name) foreign.add(name.text);
      if (namedBindings && ts.isNamedImports(namedBindings)) for (const one of namedBindings.elements) foreign.add(one.name.text);
      replace(statement, '');
    } else if (ts.isExportDeclaration(statement) && !statement.moduleSpecifier && statement.exportClause) {
      // `export type { Scope }` of an imported type.
      const { elements } = statement.exportClause as ts.NamedExports;
      const own = elements.filter((one) => foreign.has(one.name.text));
      if (own.length === 0) continue;
      const types = own.map((one) => `export type ${one.name.text} = ${spelled(checker.getTypeAtLocation(one.name))};`);
      const others = elements.filter((one) => !own.includes(one)).map((one) => one.getText(file));
      replace(statement, [...types, ...(others.length > 0 ? [`export type { ${others.join(', ')} };`] : [])].join('\n'));
    } else visit(statement);
  }
  let text = file.text;
  for (const { start, end, text: by } of edits.sort((a, b) => b.start - a.start)) text = text.slice(0, start) + by + text.slice(end);
  return text.replace(/^\n+/, '');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = join(root, 'dist/client');
  await rm(folder, { recursive: true, force: true });
  await buildClient(folder);
}
