// The journeys: the whole product, started as people start it, in a real browser. A run of its own.
import { basename } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those that last longest, the longest first: the others fill up what is left beside them. */
const LONGEST = ['looks', 'errors', 'relays', 'main-job', 'editor', 'onboarding', 'writing'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = LONGEST.indexOf(basename(moduleId, '.test.ts'));
      return found < 0 ? LONGEST.length : found;
    };
    return files.toSorted((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    include: ['e2e/**/*.test.ts'],
    globalSetup: ['./testing/global-setup.ts', './testing/shared-product.ts'],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // What a page shows after an act may take its time on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    // Two browsers, and what they ask; three took all of two cores, and as long.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
});
