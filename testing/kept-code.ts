// What Node has compiled stays for the processes after this one (NODE_COMPILE_CACHE, which `npm test` sets): a
// worker ends by a signal, at which Node itself would keep nothing.
import { flushCompileCache } from 'node:module';
import { afterAll } from 'vitest';

afterAll(() => flushCompileCache());
