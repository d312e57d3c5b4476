// Before each test file: what the product keeps in its modules (clock, secrets, handlers, counts) is made anew, as in
// a process of its own. Only the process is shared, and what it has loaded from node_modules.
import { vi } from 'vitest';

vi.resetModules();
