// `npm run cluster-test -- 10.0.0.1:5432 10.0.0.2:5432 10.0.0.3:5432 [-- areas/groups …]`: runs the
// server's tests on a Citus cluster; the first address is the coordinator
// (docs/operations/cluster.md). Tests that cannot run on a cluster are listed with the reason in
// testing/cluster-exceptions.json; a listed test that passes is an error. Afterwards each statement
// of the tests is explained and executed: a statement about one account must need only the node of
// the account (testing/global-writes.json lists tables with writes that need all nodes).
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { findClusterViolations, type GlobalWrite } from '#testing/oracles/cluster-plans.ts';
import { readStatements } from '#testing/oracles/shadow.ts';
import { databaseUrlOn, NODES_VARIABLE, runStatements } from '#testing/setup/cluster.ts';
import { TEMPLATE } from '#testing/setup/global-setup.ts';

const ROOT = join(import.meta.dirname, '..');

/** Without `test`, the exception applies to the whole file. */
type Exception = { file: string; test?: string; reason: string };
type ClusterTestReport = {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string }[];
  }[];
};

const args = process.argv.slice(2);
const nodes = args.filter((arg) => /^[\w.-]+:\d+$/.test(arg));
const files = args.filter((arg) => arg !== '--' && !nodes.includes(arg));
if (nodes.length < 2) {
  console.error('Usage: npm run cluster-test -- <coordinator:port> <node:port> … [-- files]');
  process.exit(1);
}
const exceptions = JSON.parse(
  readFileSync(join(ROOT, 'testing/cluster-exceptions.json'), 'utf8'),
) as Exception[];

const folder = mkdtempSync(join(tmpdir(), 'sendloom-cluster-'));
const statementFolder = join(folder, 'statements');
try {
  const { passed, failed, problems } = summarize(await run());
  problems.push(...(await planViolations()));
  for (const problem of problems) console.log(`✗ ${problem}`);
  console.log(
    `\n${passed} passed, ${failed} failed as listed, ${problems.length} unexpected results`,
  );
  process.exitCode = problems.length === 0 && passed > 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<ClusterTestReport> {
  const report = join(folder, 'report.json');
  const child = spawn(
    process.execPath,
    [
      join(ROOT, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--project=server',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...files,
    ],
    {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...process.env, [NODES_VARIABLE]: nodes.join(','), STATEMENT_FOLDER: statementFolder },
    },
  );
  await new Promise((settle) => child.once('close', settle));
  return JSON.parse(readFileSync(report, 'utf8')) as ClusterTestReport;
}

/** Returns statements about one account that need other nodes than the account's. */
async function planViolations(): Promise<string[]> {
  const servers = nodes.map((node) => `postgres://sendloom@${node}/postgres`);
  for (const server of servers)
    await runStatements(server, `ALTER DATABASE ${TEMPLATE} ALLOW_CONNECTIONS true`);
  const exceptionsOfPlans = JSON.parse(
    readFileSync(join(ROOT, 'testing/shadow-exceptions.json'), 'utf8'),
  ) as {
    begins: string;
  }[];
  const url = databaseUrlOn(servers[0] ?? '', TEMPLATE);
  const globalWrites = JSON.parse(
    readFileSync(join(ROOT, 'testing/global-writes.json'), 'utf8'),
  ) as GlobalWrite[];
  return findClusterViolations(
    url,
    readStatements(statementFolder),
    exceptionsOfPlans,
    globalWrites,
  );
}

function summarize({ testResults }: ClusterTestReport): {
  passed: number;
  failed: number;
  problems: string[];
} {
  let passedCount = 0;
  let failedCount = 0;
  const problems: string[] = [];
  for (const { name, status, message, assertionResults } of testResults) {
    const file = relative(ROOT, name);
    if (exceptions.some((exception) => exception.file === file && exception.test === undefined)) {
      if (status === 'failed') failedCount += 1;
      else problems.push(`${file}: passes, though listed.`);
      continue;
    }
    if (
      status === 'failed' &&
      !assertionResults.some((assertionResult) => assertionResult.status === 'failed')
    ) {
      problems.push(`${file}: ${message}`);
    }
    for (const { status: testStatus, fullName } of assertionResults) {
      const exception = exceptions.find(
        (exception) => exception.file === file && exception.test === fullName,
      );
      if (testStatus === 'passed') passedCount += 1;
      if (testStatus === 'failed' && exception) failedCount += 1;
      if (testStatus === 'failed' && !exception) problems.push(`${file} > ${fullName}`);
      if (testStatus === 'passed' && exception)
        problems.push(`${file} > ${fullName}: passes, though listed.`);
    }
  }
  return { passed: passedCount, failed: failedCount, problems };
}
