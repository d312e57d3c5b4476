// Stores Node's compile cache (NODE_COMPILE_CACHE, which `npm test` sets): a worker is ended by a
// signal, after which Node itself would store nothing.
import { flushCompileCache } from 'node:module';
import { afterAll } from 'vitest';

afterAll(() => flushCompileCache());
