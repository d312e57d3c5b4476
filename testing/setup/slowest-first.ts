// Starts the slowest test files first: the others run concurrently and fill the remaining time. By
// name, since a fresh checkout has no durations of earlier runs.
import { relative } from 'node:path';
import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node';

const ROOT = `${import.meta.dirname}/../..`;

/** `longest`: paths from the root without `.test.ts`, slowest first. */
export function slowestFirst(longest: readonly string[]): TestSequencerConstructor {
  return class SlowestFirst extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const place = ({ moduleId }: TestSpecification) => {
        const found = longest.indexOf(relative(ROOT, moduleId).replace(/\.test\.tsx?$/, ''));
        return found < 0 ? longest.length : found;
      };
      return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
    }
  };
}
