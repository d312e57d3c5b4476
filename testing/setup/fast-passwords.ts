// Minimal Argon2id for tests that sign up owners incidentally: 0.1 ms instead of 27. Must be
// imported before any module that imports Node's own; passwords.test.ts and the e2e tests hash as
// the product does.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { atTheEnd } from './at-the-end.ts';

const { argon2 } = crypto;
const quick: typeof argon2 = (algorithm, parameters, callback) =>
  argon2(algorithm, { ...parameters, memory: 8, passes: 1 }, callback);
put(quick);
// The process continues with other test files.
atTheEnd(async () => put(argon2));

function put(hash: typeof argon2): void {
  Object.assign(crypto, { argon2: hash });
  syncBuiltinESMExports();
}
