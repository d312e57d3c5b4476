// Runs the unit and HTTP tests; the browser journeys in e2e/ have their own configuration.
import { defineConfig } from 'vitest/config';
import { firstTextsPlugin } from './main/web-client/first-texts.ts';
import { slowestFirst } from './testing/setup/slowest-first.ts';

/**
 * Time limit of a test. On a cluster each database is created and dropped on every node, and each
 * statement takes another round trip.
 */
const TEST_TIMEOUT_MS = process.env.SENDLOOM_CLUSTER_NODES ? 300_000 : 60_000;

/**
 * Contracts and other modules that server and pages share, and the variables of the environment,
 * have no state; building their schemas took a tenth of the processor time of most files. The
 * threads for customers' content load the same modules for each file.
 */
const SHARED = [
  /\/(areas\/[^/]+|platform|embed\/forms\/shared)\/[^/.]+\.ts$/,
  /\/platform\/server\/(environment|config-values)\.ts$/,
  /\/platform\/server\/work\/threads\.ts$/,
];

const MEASURING = ['areas/imports/server/reading/{rows,workbook}.test.ts'];

/**
 * Over 15 s each. Until the processes of `start` have ended and left their compiled code, each
 * product that a test starts compiles its modules, which takes twice the processor time.
 */
const LONGEST = [
  ...['main/start', 'areas/delivery/server/sender/answers', 'testing/fuzz/fuzz'],
  ...['areas/delivery/server/relays/relay-pool', 'main/blocked-event-loop', 'main/status'],
  ...['areas/billing/server/gateways', 'areas/domains/server/exchangers'],
  ...['areas/delivery/server/ledger/breaker', 'areas/delivery/server/ledger/sms', 'main/examples'],
  ...['areas/campaigns/web/campaign-screens', 'areas/delivery/server/sender/faults'],
  'areas/delivery/server/sender/fixed-domain',
  ...['areas/audience/server/bulk', 'areas/imports/server/import-faults', 'main/restore'],
  ...['platform/server/backup/backup', 'areas/segments/server/compile', 'main/submission'],
];

export default defineConfig({
  plugins: [firstTextsPlugin()],
  test: {
    globalSetup: ['./testing/setup/global-setup.ts'],
    // Awaited conditions hold immediately on a quiet machine and may take longer on a busy one. Speed
    // is covered by its own tests.
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    // Faster tests are not listed.
    slowTestThreshold: 20_000,
    expect: { poll: { timeout: 20_000 } },
    // On two cores: a third of a test's time is waiting for senders and jobs.
    maxWorkers: 4,
    sequence: { sequencer: slowestFirst(LONGEST) },
    // Takes a tenth less processor time: most objects of a test are garbage before the first
    // collection.
    execArgv: ['--max-semi-space-size=64'],
    projects: [
      // These measure the memory of their process.
      { test: { name: 'memory', include: MEASURING } },
      {
        // Takes a third less processor time than one process per file, each of which would first
        // load the whole server, which takes as long as the tests of most files.
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
          // Node itself loads these, once per process.
          server: { deps: { external: SHARED } },
          // As Node imports them; a proxy around each package makes every access slower.
          deps: { interopDefault: false },
          injectCjsGlobals: false,
          setupFiles: ['./testing/setup/fresh-modules.ts', './testing/setup/fast-passwords.ts'],
        },
      },
      {
        // A page has more state than its modules, so each file has its own globals, in a process that
        // it shares: a third less processor time than a process per file, which would load jsdom and
        // compile React and Mantine first.
        test: {
          name: 'web',
          include: ['{areas,platform}/**/web/**/*.test.{ts,tsx}', 'main/web-client/**/*.test.tsx'],
          pool: 'vmForks',
          // Vite would otherwise serve these files the server project's decision that Node loads
          // shared modules, which it cannot in the context of a page.
          environment: 'jsdom',
          // Node releases little of a context that ended; a process beyond this is replaced.
          vmMemoryLimit: '1GB',
          setupFiles: ['./testing/setup/page-streams.ts', './testing/setup/page-timers.ts'],
        },
      },
    ],
  },
});
