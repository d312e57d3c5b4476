// Resets the product's module state (clock, secrets, handlers, counters) before each test file, as
// in a new process. Only the process and the modules of node_modules are shared.
import { vi } from 'vitest';

vi.resetModules();
