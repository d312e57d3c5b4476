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
 * Modules that Node loads once per process: the stateless contracts, shared modules and environment
 * variables, and the pool of threads, whose threads would otherwise load their modules again for
 * each file. Building the schemas of contracts for each file took a tenth of the processor time of
 * most files.
 */
const SHARED = [
  /\/(areas\/[^/]+|platform|embed\/forms\/shared)\/[^/.]+\.ts$/,
  /\/platform\/server\/(environment|config-values)\.ts$/,
  /\/platform\/server\/work\/threads\.ts$/,
];

const MEASURING = ['areas/imports/server/reading/{rows,workbook}.test.ts'];

/**
 * Files that take more than 15 s each. `main/start` is the first, because its processes store
 * compiled code that later processes reuse. A process that finds no compiled code compiles its
 * modules itself, which takes twice the processor time.
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
    // Awaited conditions hold immediately on a quiet machine and may take longer on a busy one.
    // Speed is covered by its own tests.
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    // Tests that take less are not reported as slow.
    slowTestThreshold: 20_000,
    expect: { poll: { timeout: 20_000 } },
    // Four on two cores, because tests spend a third of their time waiting for senders and jobs.
    maxWorkers: 4,
    sequence: { sequencer: slowestFirst(LONGEST) },
    // Takes a tenth less processor time: most objects of a test are garbage before the first
    // collection.
    execArgv: ['--max-semi-space-size=64'],
    projects: [
      // These measure the memory of their process.
      { test: { name: 'memory', include: MEASURING } },
      {
        // Files share processes, which takes a third less processor time than one process per file.
        // Each process first loads the whole server, which takes as long as the tests of most
        // files.
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
          // Packages are imported as by Node, because a proxy around each package makes every
          // access slower.
          deps: { interopDefault: false },
          injectCjsGlobals: false,
          setupFiles: ['./testing/setup/fresh-modules.ts', './testing/setup/fast-passwords.ts'],
        },
      },
      {
        // A page has more state than its modules, so each file has its own globals, but files share
        // processes. This takes a third less processor time than a process per file, which would
        // first load jsdom and compile React and Mantine.
        test: {
          name: 'web',
          include: ['{areas,platform}/**/web/**/*.test.{ts,tsx}', 'main/web-client/**/*.test.tsx'],
          pool: 'vmForks',
          // Without a separate environment, Vite would use the server project's decision that Node
          // loads the shared modules. Node cannot load them in the context of a page.
          environment: 'jsdom',
          // Node releases little memory when a context ends, so a process that exceeds this is
          // replaced.
          vmMemoryLimit: '1GB',
          setupFiles: ['./testing/setup/page-streams.ts', './testing/setup/page-timers.ts'],
        },
      },
    ],
  },
});
