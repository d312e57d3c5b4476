// `npm test` runs everything that a change must pass: the checks, the tests, the shadow check of
// all recorded statements and the browser tests; then it prints one summary line. With arguments
// (`npm test -- areas/groups`) it runs only those tests.
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import { migrate } from '#platform/server/migrations/migrate.ts';
import { castShadow, readStatements, findShadowViolations } from '#testing/oracles/shadow.ts';
import { listDeclaredRows } from '#testing/oracles/row-types.ts';
import { findFastFolder } from '#testing/setup/temporary-folder.ts';
import { check } from './check.ts';

const ROOT = join(import.meta.dirname, '..');

interface TestRunOutcome {
  passed: number;
  failed: number;
  /**
   * The failures with reasons, repeated at the end because a run prints hundreds of lines before.
   */
  reasons?: string[];
  /** Failures of files that passed when they were run again. */
  flakyFailures?: string[];
}

type TestStep = [title: string, run: () => Promise<TestRunOutcome>];

interface VitestOutcome extends TestRunOutcome {
  /** Files with failures; undefined if something outside of a file failed. */
  failedFiles?: string[];
  /** The number of tests that passed in files without failures. */
  passedElsewhere?: number;
}

/** The used parts of vitest's JSON report. */
interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

/**
 * If at most this many files failed, they are run again alone; more failures have a common cause.
 */
const MAX_RETRIED_FILES = 3;

/**
 * Maximum length of vitest's own error output, which includes the stack of an error outside of
 * tests.
 */
const MAX_ERROR_CHARS = 4_000;

const args = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'sendloom-run-'));
const outcome = { passed: 0, failed: 0 };
const REASONS: string[] = [];
const UNSTABLE: string[] = [];
try {
  const statements = join(folder, 'statements');
  const steps: TestStep[][] =
    args.length > 0
      ? [[['Tests', () => vitest(['run', ...args], {})]]]
      : [
          [['Checks', check]],
          [['Tests', () => vitestWithRetry(['run'], { STATEMENT_FOLDER: statements })]],
          // The e2e tests often wait for browsers and pollers, so the shadow check (20 s on one
          // core) runs concurrently.
          [
            ['Journeys', runE2e],
            ['Statements on the shadow', () => shadow(statements)],
          ],
        ];
  for (const concurrent of steps) await Promise.all(concurrent.map(runStep));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (UNSTABLE.length > 0) console.log('\n── Unstable: failed first, passed alone; each is a fault');
for (const reason of UNSTABLE) console.log(`! ${reason}`);
if (REASONS.length > 0) console.log('\n── Failures');
for (const reason of REASONS) console.log(`✗ ${reason}`);
console.log(`\n${outcome.passed} passed, ${outcome.failed} failed`);
process.exit(outcome.failed > 0 ? 1 : 0);

function outcomeOfError(error: unknown): TestRunOutcome {
  console.error(error);
  return { passed: 0, failed: 1, reasons: [String(error)] };
}

async function runStep([title, run]: TestStep): Promise<void> {
  console.log(`\n── ${title}`);
  const stepOutcome = await run().catch(outcomeOfError);
  const { passed, failed, reasons: failureReasons = [] } = stepOutcome;
  outcome.passed += passed;
  outcome.failed += failed;
  UNSTABLE.push(...(stepOutcome.flakyFailures ?? []).map((reason) => `${title}: ${reason}`));
  if (failed > 0 && failureReasons.length === 0) REASONS.push(`${title}: see above`);
  REASONS.push(...failureReasons.map((reason) => `${title}: ${reason}`));
}

/**
 * Runs vitest, and if only a few files failed, runs these again alone. If they then pass, they are
 * reported as unstable and do not fail the run (decision 0093).
 */
async function vitestWithRetry(argv: string[], env: NodeJS.ProcessEnv): Promise<TestRunOutcome> {
  const firstRun = await vitest(argv, env);
  const files = firstRun.failedFiles ?? [];
  if (files.length === 0 || files.length > MAX_RETRIED_FILES) return firstRun;
  console.log(`\n── Again: ${files.join(', ')}`);
  const secondRun = await vitest([...argv, ...files], env);
  if (secondRun.failed > 0) return firstRun;
  const passedCount = (firstRun.passedElsewhere ?? 0) + secondRun.passed;
  return { passed: passedCount, failed: 0, flakyFailures: firstRun.reasons ?? [] };
}

/** Runs vitest and counts the results. A file that fails to start is counted as one failure. */
async function vitest(argv: string[], env: NodeJS.ProcessEnv): Promise<VitestOutcome> {
  const report = join(folder, `report-${Math.random().toString(36).slice(2)}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const child = spawn(
    process.execPath,
    [join(ROOT, 'node_modules/vitest/vitest.mjs'), ...argv, ...reporters],
    { cwd: ROOT, stdio: ['inherit', 'inherit', 'pipe'], env: { ...process.env, ...env } },
  );
  let errorOutput = '';
  child.stderr.on('data', (chunk: Buffer) => {
    process.stderr.write(chunk);
    errorOutput = `${errorOutput}${chunk}`.slice(-MAX_ERROR_CHARS);
  });
  const code = await new Promise((settle) => child.once('close', settle));
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  ) as VitestReport;
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' &&
      !assertionResults.some((assertionResult) => assertionResult.status === 'failed'),
  );
  const reasons = [
    ...brokenFiles.map(({ name, message }) => `${relative(ROOT, name)}: ${firstLines(message)}`),
    ...testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter((assertionResult) => assertionResult.status === 'failed')
        .map(
          ({ fullName, failureMessages: [message = ''] }) =>
            `${relative(ROOT, name)} > ${fullName}\n  ${firstLines(message)}`,
        ),
    ),
  ];
  const failedCount = numFailedTests + brokenFiles.length;
  if (failedCount > 0 || code === 0) {
    const failedFiles = testResults
      .filter(({ status }) => status === 'failed')
      .map(({ name }) => relative(ROOT, name));
    const passedElsewhere = testResults
      .filter(({ status }) => status === 'passed')
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === 'passed').length;
    return { passed: numPassedTests, failed: failedCount, reasons, failedFiles, passedElsewhere };
  }
  // Errors outside of tests, and leaks of the global setup, appear only in vitest's own output.
  const errorTail = stripVTControlCharacters(errorOutput).trim().replaceAll('\n', '\n  ');
  return { passed: numPassedTests, failed: 1, reasons: [`ended with ${code}\n  ${errorTail}`] };
}

/** Returns the beginning of a failure's message, without colors: enough to locate it. */
function firstLines(message: string): string {
  return stripVTControlCharacters(message).split('\n').slice(0, 12).join('\n  ');
}

async function runE2e(): Promise<TestRunOutcome> {
  if (globSync('e2e/**/*.test.ts', { cwd: ROOT }).length === 0) {
    throw new Error('No browser test found in e2e/.');
  }
  return vitestWithRetry(['run', '--config', 'vitest.e2e.config.ts'], {});
}

/** Explains every statement of the run on tables partitioned by account. */
async function shadow(folderOfStatements: string): Promise<TestRunOutcome> {
  const statements = readStatements(folderOfStatements);
  const exceptions = JSON.parse(
    readFileSync(join(ROOT, 'testing/shadow-exceptions.json'), 'utf8'),
  ) as { begins: string; reason: string }[];
  // The name matches the folders of test runs, so that the next run removes it if this one is
  // killed.
  const shadowFolder = mkdtempSync(join(findFastFolder(), `sendloom-test-${process.pid}-`));
  try {
    const server = await startEmbeddedPostgres({ folder: shadowFolder, isTemporary: true });
    try {
      await migrate(server.url);
      await castShadow(server.url);
      const violations = await findShadowViolations(
        server.url,
        statements,
        exceptions,
        listDeclaredRows(),
      );
      for (const violation of violations) console.log(`✗ ${violation}\n`);
      console.log(`${statements.length} statements, ${violations.length} with violations.`);
      const hasPassed = violations.length === 0 && statements.length > 0;
      return hasPassed ? { passed: 1, failed: 0 } : { passed: 0, failed: 1, reasons: violations };
    } finally {
      await server.stop();
      rmSync(server.cluster, { recursive: true, force: true });
    }
  } finally {
    rmSync(shadowFolder, { recursive: true, force: true });
  }
}
