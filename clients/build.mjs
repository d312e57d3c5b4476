// Builds a client package into its dist/ with the repository's TypeScript, for example with `node
// clients/build.mjs node`. Each source file is transpiled by itself, because the packages need no
// bundler.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const { ModuleKind, ScriptTarget } = ts;

/** Node.js module formats. `imports` is the extension of relative imports in code and types. */
const ESM = { module: ModuleKind.ESNext, code: '.js', types: '.d.ts', imports: '.js' };
const COMMON = { module: ModuleKind.CommonJS, code: '.cjs', types: '.d.cts', imports: '.cjs' };

const N8N = { ...COMMON, code: '.js', types: undefined };

/** Writes `target` in one format, and its declarations unless the format has none. */
function build(source, target, format) {
  const text = readFileSync(source, 'utf8');
  const compilerOptions = {
    ...{ module: format.module, target: ScriptTarget.ES2022, verbatimModuleSyntax: false },
    ...{ isolatedModules: true, strict: true, esModuleInterop: true },
  };
  const options = { compilerOptions, fileName: source, reportDiagnostics: true };
  const declarations = { ...compilerOptions, declaration: true, isolatedDeclarations: true };
  const code = ts.transpileModule(text, options);
  const types = format.types
    ? ts.transpileDeclaration(text, { ...options, compilerOptions: declarations })
    : undefined;
  const problems = [...(code.diagnostics ?? []), ...(types?.diagnostics ?? [])];
  if (problems.length > 0) {
    const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => FOLDER };
    throw new Error(ts.formatDiagnostics(problems, { ...host, getNewLine: () => '\n' }));
  }
  const renamed = (output) =>
    output.replace(/((?:from|import\()\s*['"]\.{1,2}\/[^'"]+)\.ts(['"])/g, `$1${format.imports}$2`);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(`${target}${format.code}`, renamed(code.outputText));
  if (types) writeFileSync(`${target}${format.types}`, renamed(types.outputText));
}

function buildNode(dist) {
  const folder = path.join(FOLDER, 'node');
  for (const name of ['index', 'calls.generated'])
    for (const format of [ESM, COMMON])
      build(path.join(folder, `${name}.ts`), path.join(dist, name), format);
  // The calls consist only of types, so their compiled files are empty.
  for (const { code } of [ESM, COMMON]) rmSync(path.join(dist, `calls.generated${code}`));
}

/** Builds the n8n package: n8n loads CommonJS from the paths in package.json. */
function buildN8n(dist) {
  const folder = path.join(FOLDER, 'n8n');
  for (const kind of ['credentials', 'nodes'])
    for (const source of readdirSync(path.join(folder, kind), { recursive: true }))
      if (source.endsWith('.ts'))
        build(path.join(folder, kind, source), path.join(dist, kind, source.slice(0, -3)), N8N);
  cpSync(path.join(folder, 'icons'), path.join(dist, 'icons'), { recursive: true });
}

const PACKAGES = { node: buildNode, n8n: buildN8n };

const [name] = process.argv.slice(2);
const buildPackage = PACKAGES[name];
if (!buildPackage) {
  console.error(`Usage: node clients/build.mjs ${Object.keys(PACKAGES).join('|')}`);
  process.exit(1);
}
const dist = path.join(FOLDER, name, 'dist');
rmSync(dist, { recursive: true, force: true });
buildPackage(dist);
