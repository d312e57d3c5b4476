// Closes everything that a test file opened, in reverse order, after its last test. vitest ignores
// an afterAll that is registered within a beforeAll or a test, so it is registered when this file
// loads.
import { afterAll } from 'vitest';

const ENDINGS: (() => Promise<void>)[] = [];

export function runAtEnd(end: () => Promise<void>): void {
  ENDINGS.push(end);
}

afterAll(async () => {
  const failures: unknown[] = [];
  for (const end of ENDINGS.splice(0).reverse()) {
    await end().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0)
    throw new AggregateError(failures, 'Could not close everything that the tests opened');
});
