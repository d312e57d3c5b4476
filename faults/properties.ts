// 35: the property tests with all runs and new seeds, including ten minutes of random requests to
// every API call. `npm test` runs them in a short form.
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultTest, FaultResult, Print } from './kit.ts';

const ROOT = join(import.meta.dirname, '..');
const MAX_REPORT_CHARS = 20_000;

export const fault: FaultTest = {
  number: 35,
  title: 'all runs of the property tests',
  run: runAll,
};

async function runAll(print: Print): Promise<FaultResult> {
  const files = globSync('{areas,platform,providers,main,testing}/**/*.test.ts', {
    cwd: ROOT,
  }).filter((file) => readFileSync(join(ROOT, file), 'utf8').includes('property-runs.ts'));
  print(`${files.length} files`);
  const seed = String(Math.floor(Math.random() * 1e9));
  const child = spawn(
    process.execPath,
    [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--testTimeout=600000', ...files],
    {
      cwd: ROOT,
      env: { ...process.env, PROPERTIES: 'all', FUZZ_SEED: seed, NO_COLOR: '1' },
    },
  );
  let report = '';
  const appendReport = (data: Buffer) => (report = `${report}${data}`.slice(-MAX_REPORT_CHARS));
  child.stdout.on('data', appendReport);
  child.stderr.on('data', appendReport);
  const code = await new Promise((settle) => child.once('close', settle));
  const summary = `${files.length} files, fuzz seed ${seed}`;
  return { problems: code === 0 ? [] : [report], facts: summary };
}
