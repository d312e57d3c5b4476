// Minimal Argon2id for tests that sign up owners incidentally: 0.1 ms instead of 27. It is a setup
// file because it must run before any module that imports Node's own Argon2. passwords.test.ts and
// the e2e tests hash as the product does.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'vitest';
import { runAtEnd } from './at-the-end.ts';

const { argon2 } = crypto;
const fastArgon2: typeof argon2 = (algorithm, parameters, callback) =>
  argon2(algorithm, { ...parameters, memory: 8, passes: 1 }, callback);
// `expect` is used only to get the path of the test file.
// oxlint-disable-next-line vitest/no-standalone-expect
const { testPath } = expect.getState();
if (!testPath?.endsWith('/passwords.test.ts')) setArgon2(fastArgon2);
// The process continues with other test files, so the original function is restored.
runAtEnd(async () => setArgon2(argon2));

function setArgon2(hash: typeof argon2): void {
  Object.assign(crypto, { argon2: hash });
  syncBuiltinESMExports();
}
