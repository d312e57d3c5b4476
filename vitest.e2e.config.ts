// The journeys: the whole product, started as people start it, in a real browser. A run of its own.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['e2e/**/*.test.ts'],
    globalSetup: ['./testing/global-setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // What a page shows after an act may take its time on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    // Two browsers with a product each: a journey spends half its time waiting.
    maxWorkers: 2,
  },
});
