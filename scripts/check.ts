// `npm run check`: all static checks of the code, two at a time. `npm run check -- locales types` runs
// only the checks whose names contain one of these words.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { buildClient, isClientStale } from '#main/client-build.ts';
import { buildGuide, GUIDE_FOLDER, isGuideStale } from '#main/guide-build.ts';
import { checkClientStyles } from './check-client-styles.ts';
import { checkCommits } from './check-commits.ts';
import { checkGuide } from './check-guide.ts';
import { checkGuideSite } from './check-guide-site.ts';
import { checkLocales } from './check-locales.ts';
import { checkRegexps } from './check-regexps.ts';
import { checkStatements } from './check-statements.ts';
import { checkStyle } from './check-style.ts';
import { findUpgradeProblems } from './check-upgrade.ts';
import { generate } from './generate.ts';
import { findOutdatedTranslations } from './outdated-translations.ts';

const ROOT = join(import.meta.dirname, '..');
const CONCURRENT_CHECKS = 2;
/**
 * Threads of each check. Each thread computes most types again: on two cores, two threads of the
 * linter take a third more processor time than one thread.
 */
const THREADS = String(Math.max(1, Math.floor(availableParallelism() / CONCURRENT_CHECKS)));
const SOURCES = ['areas', 'platform', 'providers', 'embed', 'main', 'testing'];

/** A check returns its findings as text; empty means success. */
interface Check {
  name: string;
  run: () => Promise<string>;
  /** Lines to print that fail nothing. */
  warnings?: () => string[];
}

// The slowest check is first because the others run concurrently.
const CHECKS: Check[] = [
  { name: 'types', run: types },
  { name: 'lint', run: lint },
  { name: 'built client', run: builtClient },
  { name: 'generated files', run: generatedFiles },
  { name: 'upgrade', run: async () => (await findUpgradeProblems()).join('\n') },
  { name: 'boundaries', run: boundaries },
  {
    name: 'unused code',
    run: () => tool('knip/bin/knip.js', ['--no-progress', '--no-config-hints']),
  },
  {
    name: 'locales',
    run: async () => checkLocales().join('\n'),
    warnings: () => findOutdatedTranslations(),
  },
  { name: 'technical English', run: async () => checkStyle().join('\n') },
  { name: 'commit messages', run: async () => checkCommits().join('\n') },
  { name: 'regular expressions', run: async () => (await checkRegexps()).join('\n') },
  { name: 'guide', run: guideSite },
  { name: 'documentation links', run: async () => checkGuide().join('\n') },
  { name: 'statements', run: async () => checkStatements().join('\n') },
  {
    name: 'format',
    run: () => tool('@biomejs/biome/bin/biome', ['format', '--max-diagnostics=20']),
  },
];

/**
 * Runs the checks whose names contain one of the words, by default all, and prints a line for each.
 * `reasons` are the findings of failed checks, to be repeated at the end. Exits if a word occurs in
 * no name.
 */
export async function check(
  words: readonly string[] = [],
): Promise<{ passed: number; failed: number; reasons: string[] }> {
  const selected = selectChecks(words);
  const pending = [...selected];
  const reasons: string[] = [];
  const worker = async () => {
    for (let next = pending.shift(); next; next = pending.shift()) {
      const findings = await report(next);
      if (findings) reasons.push(`${next.name}\n${findings}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_CHECKS }, worker));
  return { passed: selected.length - reasons.length, failed: reasons.length, reasons };
}

const includesWord = (name: string, word: string) =>
  name.toLowerCase().includes(word.toLowerCase());

function selectChecks(words: readonly string[]): Check[] {
  const names = CHECKS.map(({ name }) => name);
  const unknownWords = words.filter((word) => !names.some((name) => includesWord(name, word)));
  if (unknownWords.length > 0) {
    console.error(`No check is named ${unknownWords.join(', ')}. Checks: ${names.join(', ')}.`);
    process.exit(1);
  }
  return CHECKS.filter(
    ({ name }) => words.length === 0 || words.some((word) => includesWord(name, word)),
  );
}

/** Runs a check, prints the result, and returns indented findings; empty on success. */
async function report({ name, run, warnings }: Check): Promise<string> {
  const start = performance.now();
  const findings = await run().catch((error: Error) => error.message);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${findings ? '✗' : '✓'} ${name} (${seconds} s)`);
  const indentedFindings = findings && findings.trim().replace(/^/gm, '    ');
  if (indentedFindings) console.log(`${indentedFindings}\n`);
  for (const warning of warnings?.() ?? []) console.log(`  warning: ${warning}`);
  return indentedFindings;
}

/** Runs a tool of node_modules; returns its output if it failed, otherwise an empty text. */
function tool(path: string, args: string[]): Promise<string> {
  const child = spawn(process.execPath, [join(ROOT, 'node_modules', path), ...args], {
    cwd: ROOT,
    // The compiler and the linter of types are written in Go.
    env: { ...process.env, GOMAXPROCS: THREADS },
  });
  const output: Buffer[] = [];
  child.stdout.on('data', (data: Buffer) => output.push(data));
  child.stderr.on('data', (data: Buffer) => output.push(data));
  return new Promise((settle) => {
    child.once('close', (code) => {
      settle(code === 0 ? '' : Buffer.concat(output).toString() || `ended with code ${code}`);
    });
  });
}

/**
 * The build info lets a second run check only changed files, which takes 4 s instead of 100 s on
 * two cores.
 */
function types(): Promise<string> {
  const buildInfo = join(ROOT, 'node_modules/.cache/typescript/sendloom.tsbuildinfo');
  return tool('typescript7/bin/tsc', [
    ...['-p', 'tsconfig.json', '--checkers', THREADS],
    ...['--incremental', '--tsBuildInfoFile', buildInfo],
  ]);
}

function lint(): Promise<string> {
  return tool('oxlint/bin/oxlint', ['--type-aware', '--quiet', `--threads=${THREADS}`]);
}

function boundaries(): Promise<string> {
  return tool('dependency-cruiser/bin/dependency-cruiser.mjs', [
    ...['--config', '.dependency-cruiser.cjs', '--output-type', 'err-long'],
    ...SOURCES.filter((folder) => existsSync(join(ROOT, folder))),
  ]);
}

async function generatedFiles(): Promise<string> {
  const stale = await generate(true);
  return stale.map((file) => `${file} is stale: run npm run generate.`).join('\n');
}

/** The generator of the guide also finds dead links and syntax errors in pages. */
async function guideSite(): Promise<string> {
  if (isGuideStale()) await buildGuide();
  return checkGuideSite(GUIDE_FOLDER).join('\n');
}

async function builtClient(): Promise<string> {
  if (isClientStale()) await buildClient();
  return [...checkClientStyles(), await tool('size-limit/bin.js', [])].join('\n');
}

if (import.meta.main) {
  const { passed, failed } = await check(process.argv.slice(2));
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exit(failed > 0 ? 1 : 0);
}
