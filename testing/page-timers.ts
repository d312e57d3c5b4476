// What a page still waits for ends with its test file: its timers are Node's, outlive its document and would find none
// (an editor looks at what changed 20 ms after the last test has passed, and the whole run counts an error).
import { afterAll } from 'vitest';

const ends: (() => void)[] = [];

function kept<Begin extends (...args: never[]) => unknown>(
  begin: Begin,
  end: (waiting: ReturnType<Begin>) => void,
): Begin {
  return new Proxy(begin, {
    apply(target, self, args) {
      const waiting = Reflect.apply(target, self, args) as ReturnType<Begin>;
      ends.push(() => end(waiting));
      return waiting;
    },
  });
}

globalThis.setTimeout = kept(setTimeout, clearTimeout);
globalThis.setInterval = kept(setInterval, clearInterval);
globalThis.setImmediate = kept(setImmediate, clearImmediate);

// Of all that is done after the tests this comes last, since it is the first to be named.
afterAll(() => {
  for (const end of ends) end();
});
