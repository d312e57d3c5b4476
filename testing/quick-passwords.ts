// Argon2id at its least for tests that sign somebody up for what they are about: 0.1 ms instead of 27. It stands
// before whatever imports Node's own; passwords.test.ts and the journeys hash as the product does.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { atTheEnd } from './ending.ts';

const { argon2 } = crypto;
const quick: typeof argon2 = (algorithm, parameters, callback) =>
  argon2(algorithm, { ...parameters, memory: 8, passes: 1 }, callback);
put(quick);
// The process goes on with other test files.
atTheEnd(async () => put(argon2));

function put(hash: typeof argon2): void {
  Object.assign(crypto, { argon2: hash });
  syncBuiltinESMExports();
}
