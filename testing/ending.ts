// What a test file opens is closed after its last test, the latest first. vitest would forget an afterAll
// that is called within a beforeAll or a test: here only loading this file calls it.
import { afterAll } from 'vitest';

const endings: (() => Promise<void>)[] = [];

export function atTheEnd(end: () => Promise<void>): void {
  endings.push(end);
}

afterAll(async () => {
  const failures: unknown[] = [];
  for (const end of endings.splice(0).reverse()) {
    await end().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Something did not end');
});
