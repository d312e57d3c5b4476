// Configuration of the browser journeys, which run separately from the other tests: the whole
// product, started as users start it, in a real browser.
import { defineConfig } from 'vitest/config';
import { slowestFirst } from './testing/setup/slowest-first.ts';

/** Files that take more than 40 s each. */
const LONGEST = [
  ...['e2e/editor', 'e2e/forms', 'e2e/forms-builder', 'e2e/workflows', 'e2e/sms', 'e2e/main-job'],
  ...['e2e/transactional', 'e2e/relays', 'e2e/appearance', 'e2e/billing', 'e2e/stores'],
  ...['e2e/writing', 'e2e/errors', 'e2e/imports-exports'],
];

export default defineConfig({
  test: {
    include: ['e2e/**/*.test.ts'],
    globalSetup: ['./testing/setup/global-setup.ts', './testing/setup/shared-product.ts'],
    // Files share a process, which loads the driver of the browser once.
    isolate: false,
    setupFiles: ['./testing/setup/fresh-modules.ts'],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // Faster tests are not listed.
    slowTestThreshold: 20_000,
    // On a busy machine a page may take longer to show the result of an action.
    expect: { poll: { timeout: 20_000 } },
    // For two cores: a third of a journey's time is waiting for screens and jobs.
    maxWorkers: 3,
    sequence: { sequencer: slowestFirst(LONGEST) },
  },
});
