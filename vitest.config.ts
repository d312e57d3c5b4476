// Runs the unit and HTTP tests; the browser journeys of e2e/ have their own configuration.
import { defineConfig } from 'vitest/config';
import { firstTexts } from './main/web-client/first-texts.ts';

export default defineConfig({
  plugins: [firstTexts()],
  test: {
    include: [
      'areas/**/*.test.{ts,tsx}',
      'platform/**/*.test.{ts,tsx}',
      'providers/**/*.test.ts',
      'main/**/*.test.ts',
      'testing/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    globalSetup: ['./testing/global-setup.ts'],
    // What is waited for comes at once on a quiet machine; on a busy one it may take its time. How fast
    // the product is, tests of its speed say.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    // On two cores: a third of a test's time is waiting for what senders and jobs do by themselves.
    maxWorkers: 3,
    // A tenth of a processor's time less: what a test makes is mostly garbage before it is looked through.
    execArgv: ['--max-semi-space-size=64'],
  },
});
