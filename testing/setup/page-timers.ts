// Clears pending timers of a page at the end of its test file. They are Node's timers, which
// outlive the document and would fail without it: an editor's timer 20 ms after the last test would
// be an error of the run.
import { afterAll } from 'vitest';

const ENDS: (() => void)[] = [];

function tracked<Begin extends (...args: never[]) => unknown>(
  start: Begin,
  end: (waiting: ReturnType<Begin>) => void,
): Begin {
  return new Proxy(start, {
    apply(target, self, args) {
      const waiting = Reflect.apply(target, self, args) as ReturnType<Begin>;
      ENDS.push(() => end(waiting));
      return waiting;
    },
  });
}

globalThis.setTimeout = tracked(setTimeout, clearTimeout);
globalThis.setInterval = tracked(setInterval, clearInterval);
globalThis.setImmediate = tracked(setImmediate, clearImmediate);

// Registered first, so that it runs last.
afterAll(() => {
  for (const end of ENDS) end();
});
