// `npm test`: everything a change must pass. The checks, the tests, the shadow check over all that the
// tests said to the database, the journeys in a browser; then one line for all of them. With arguments
// (`npm test -- areas/groups`) only those tests.
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#platform/server/embedded-postgres.ts';
import { migrate } from '#platform/server/migrate.ts';
import { castShadow, readStatements, shadowBreaches } from '#testing/shadow.ts';
import { check } from './check.ts';

const ROOT = join(import.meta.dirname, '..');

interface Outcome {
  passed: number;
  failed: number;
}

/** What vitest's JSON report holds of interest. */
interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { status: string; assertionResults: { status: string }[] }[];
}

const args = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'sendloom-run-'));
let outcome: Outcome = { passed: 0, failed: 0 };
try {
  const statements = join(folder, 'statements');
  const steps: [string, () => Promise<Outcome>][] =
    args.length > 0
      ? [['Tests', () => vitest(['run', ...args], {})]]
      : [
          ['Checks', check],
          ['Tests', () => vitest(['run'], { STATEMENT_FOLDER: statements })],
          ['Statements on the shadow', () => shadow(statements)],
          ['Journeys', journeys],
        ];
  for (const [title, run] of steps) {
    console.log(`\n── ${title}`);
    const { passed, failed } = await run().catch(broken);
    outcome = { passed: outcome.passed + passed, failed: outcome.failed + failed };
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\n${outcome.passed} passed, ${outcome.failed} failed`);
process.exit(outcome.failed > 0 ? 1 : 0);

function broken(error: unknown): Outcome {
  console.error(error);
  return { passed: 0, failed: 1 };
}

/** Runs vitest and counts: a file that could not even start is one failure. */
async function vitest(argv: string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  const report = join(folder, `report-${Math.random().toString(36).slice(2)}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const child = spawn(
    process.execPath,
    [join(ROOT, 'node_modules/vitest/vitest.mjs'), ...argv, ...reporters],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } },
  );
  const code = await new Promise((settle) => child.once('close', settle));
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  ) as Report;
  const files = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((one) => one.status === 'failed'),
  ).length;
  const failed = numFailedTests + files;
  // Errors outside of tests, leaks of the global set-up.
  return { passed: numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}

async function journeys(): Promise<Outcome> {
  if (globSync('e2e/**/*.test.ts', { cwd: ROOT }).length === 0) {
    throw new Error('There is no journey in e2e/.');
  }
  return vitest(['run', '--config', 'vitest.e2e.config.ts'], {});
}

/** Every statement of the run, explained on tables that are partitioned by account. */
async function shadow(folderOfStatements: string): Promise<Outcome> {
  const statements = readStatements(folderOfStatements);
  const exceptions = JSON.parse(
    readFileSync(join(ROOT, 'testing/shadow-exceptions.json'), 'utf8'),
  ) as { begins: string; reason: string }[];
  const server = await startEmbeddedPostgres({ folder: join(folder, 'shadow'), throwaway: true });
  try {
    await migrate(server.url);
    await castShadow(server.url);
    const breaches = await shadowBreaches(server.url, statements, exceptions);
    for (const breach of breaches) console.log(`✗ ${breach}\n`);
    console.log(`${statements.length} statements, ${breaches.length} not as they should be.`);
    const isSound = breaches.length === 0 && statements.length > 0;
    return isSound ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  } finally {
    await server.stop();
    rmSync(server.cluster, { recursive: true, force: true });
  }
}
