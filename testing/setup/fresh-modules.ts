// Resets the module state of the product (clock, secrets, handlers, counters) before each test
// file, as in a new process. Test files share only the process and the modules of node_modules.
import { afterAll, vi } from 'vitest';

vi.resetModules();

// Listeners of the process would retain the modules of every file.
const earlierListeners = new Set(process.listeners('exit'));
// This hook is registered before all others, so that it runs last.
afterAll(() => {
  for (const listener of process.listeners('exit')) {
    if (!earlierListeners.has(listener)) process.off('exit', listener);
  }
});
