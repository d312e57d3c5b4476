// Runs the unit and HTTP tests; the browser journeys of e2e/ have their own configuration.
import { defineConfig } from 'vitest/config';
import { firstTexts } from './main/web-client/first-texts.ts';

/** On a cluster each database is made and dropped on every node, and each statement takes a round trip more. */
const PATIENCE_MS = process.env.SENDLOOM_CLUSTER_NODES ? 300_000 : 60_000;

const MEASURING = ['areas/imports/server/reading/{rows,workbook}.test.ts'];

export default defineConfig({
  plugins: [firstTexts()],
  test: {
    globalSetup: ['./testing/global-setup.ts'],
    // What is waited for comes at once on a quiet machine; on a busy one it may take its time. How fast
    // the product is, tests of its speed say.
    testTimeout: PATIENCE_MS,
    hookTimeout: PATIENCE_MS,
    expect: { poll: { timeout: 20_000 } },
    // On two cores: a third of a test's time is waiting for what senders and jobs do by themselves.
    maxWorkers: 3,
    // A tenth of a processor's time less: what a test makes is mostly garbage before it is looked through.
    execArgv: ['--max-semi-space-size=64'],
    projects: [
      // They measure the memory of their process.
      { test: { name: 'memory', include: MEASURING } },
      {
        // A third less of a processor's time than with a process for each file, which first loads all that the
        // server is made of: most files' tests take no longer than that.
        test: {
          name: 'server',
          include: [
            'areas/**/*.test.ts',
            'embed/**/*.test.ts',
            'platform/**/*.test.ts',
            'providers/**/*.test.ts',
            'main/**/*.test.ts',
            'testing/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          exclude: ['**/web/**', ...MEASURING],
          isolate: false,
          setupFiles: ['./testing/fresh-modules.ts'],
        },
      },
      {
        // A page keeps more than modules: each has a process of its own.
        test: {
          name: 'web',
          include: ['{areas,platform}/**/web/**/*.test.{ts,tsx}', 'main/web-client/**/*.test.tsx'],
          setupFiles: ['./testing/page-timers.ts', './testing/kept-code.ts'],
        },
      },
    ],
  },
});
