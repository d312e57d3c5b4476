// The browser journeys: the whole product, started as users start it, in a real browser. A separate
// run.
import { basename } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files, slowest first: the others fill the remaining time beside them. */
const LONGEST = ['looks', 'errors', 'relays', 'main-job', 'editor', 'onboarding', 'writing'];

class SlowestFirst extends BaseSequencer {
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
    globalSetup: ['./testing/setup/global-setup.ts', './testing/setup/shared-product.ts'],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // On a busy machine a page may take longer to show the result of an action.
    expect: { poll: { timeout: 20_000 } },
    // Two browsers and their requests; three used both cores fully and took as long.
    maxWorkers: 2,
    sequence: { sequencer: SlowestFirst },
  },
});
