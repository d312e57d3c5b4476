// Resets the module state of the product (clock, secrets, handlers, counters) before each test
// file, as in a new process. Test files share only the process and the modules of node_modules.
import { vi } from 'vitest';

vi.resetModules();
