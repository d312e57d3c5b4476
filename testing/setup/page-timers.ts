// Clears pending timers of a page at the end of its test file. They are Node's timers, which
// outlive the document and would fail without it: a timer of an editor that fires 20 ms after the
// last test would be an error of the run.
import { afterAll } from 'vitest';

const CANCELLATIONS: (() => void)[] = [];

function withCancellation<Start extends (...args: never[]) => unknown>(
  start: Start,
  cancel: (timer: ReturnType<Start>) => void,
): Start {
  return new Proxy(start, {
    apply(target, self, args) {
      const timer = Reflect.apply(target, self, args) as ReturnType<Start>;
      CANCELLATIONS.push(() => cancel(timer));
      return timer;
    },
  });
}

globalThis.setTimeout = withCancellation(setTimeout, clearTimeout);
globalThis.setInterval = withCancellation(setInterval, clearInterval);
globalThis.setImmediate = withCancellation(setImmediate, clearImmediate);

// This hook is registered before all others, so that it runs last.
afterAll(() => {
  for (const cancel of CANCELLATIONS) cancel();
});
