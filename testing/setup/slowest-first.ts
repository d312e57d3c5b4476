// Starts the slowest test files first, so that the others fill the remaining time. The slowest are
// listed by name because a fresh checkout has no durations of earlier runs.
import { relative } from 'node:path';
import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node';

const ROOT = `${import.meta.dirname}/../..`;

/** Creates a sequence. `longest` contains paths from the root without `.test.ts`, slowest first. */
export function slowestFirst(longest: readonly string[]): TestSequencerConstructor {
  return class SlowestFirst extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const rank = ({ moduleId }: TestSpecification) => {
        const position = longest.indexOf(relative(ROOT, moduleId).replace(/\.test\.tsx?$/, ''));
        return position < 0 ? longest.length : position;
      };
      return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
    }
  };
}
