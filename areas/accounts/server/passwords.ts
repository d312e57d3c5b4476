// Password hashes (Argon2id, RFC 9106, from node:crypto), and the list of the most common
// passwords, which are refused.
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { dictionary } from '@zxcvbn-ts/language-common';
import type { Db } from '#platform/server/database/database.ts';
import { invalid } from '#platform/server/errors.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { formatFieldIssue } from '#platform/server/http/field-errors.ts';
import { MIN_PASSWORD, MAX_PASSWORD } from '../shared.ts';

const hash = promisify(argon2);

// OWASP's second choice for Argon2id: 19 MiB, two passes, one lane.
const MEMORY_KIB = 19_456;
const PASSES = 2;
const TAG_BYTES = 32;

const ATTEMPT_LIMIT = { capacity: 10, perSecond: 10 / 600 };

/**
 * Limits the password attempts of a signed-in user.
 * @throws AppError too_many_requests
 */
export const limitPasswords = (db: Db, userId: number) =>
  requireToken(db, `password:${userId}`, ATTEMPT_LIMIT);

let common: Set<string> | undefined;

function isCommon(password: string): boolean {
  common ??= new Set(
    (dictionary['passwords-common'] as string[]).filter((entry) => entry.length >= MIN_PASSWORD),
  );
  const lower = password.toLowerCase();
  // A common password with digits or marks at its end is as easy to guess as without them.
  const stem = lower.replace(/[\d!@#$%^&*._-]+$/, '');
  return common.has(lower) || new Set(lower).size < 4 || (stem !== lower && COMMON_STEMS.has(stem));
}

const COMMON_STEMS = new Set([
  'password',
  'passw0rd',
  'qwerty',
  'qwertyuiop',
  'letmein',
  'welcome',
  'iloveyou',
  'admin',
  'sendloom',
]);

/**
 * Refuses a password that is too short or too long, is among the most common ones, has fewer than
 * four distinct characters, or equals the address or its part before the `@`.
 */
export function checkPassword(password: string, email?: string): void {
  if (password.length < MIN_PASSWORD) {
    throw invalid({ password: [formatFieldIssue('errors.fields.short', { min: MIN_PASSWORD })] });
  }
  if (password.length > MAX_PASSWORD) {
    throw invalid({ password: [formatFieldIssue('errors.fields.long', { max: MAX_PASSWORD })] });
  }
  const sameAsEmail =
    email !== undefined &&
    [email.toLowerCase(), email.split('@')[0]?.toLowerCase()].includes(password.toLowerCase());
  if (isCommon(password) || sameAsEmail) throw invalid({ password: ['errors.password_common'] });
}

async function deriveKey(password: string, salt: Buffer): Promise<Buffer> {
  return hash('argon2id', {
    message: Buffer.from(password.normalize('NFKC')),
    nonce: salt,
    memory: MEMORY_KIB,
    passes: PASSES,
    parallelism: 1,
    tagLength: TAG_BYTES,
  }) as Promise<Buffer>;
}

const toBase64 = (bytes: Buffer) => bytes.toString('base64').replace(/={1,2}$/, '');

/** Returns the hash of a password as a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await deriveKey(password, salt);
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$${toBase64(salt)}$${toBase64(tag)}`;
}

const DUMMY = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$${toBase64(randomBytes(16))}$${toBase64(randomBytes(TAG_BYTES))}`;

/**
 * Verifies a password. If there is no stored hash, the call takes as long as with one, so that its
 * duration does not reveal whether a user exists.
 */
export async function verifyPassword(
  password: string,
  storedHash: string | null | undefined,
): Promise<boolean> {
  const [, , , , salt = '', tag = ''] = (storedHash ?? DUMMY).split('$');
  const expectedHash = Buffer.from(tag, 'base64');
  const actual = await deriveKey(password, Buffer.from(salt, 'base64'));
  return (
    actual.length === expectedHash.length &&
    timingSafeEqual(actual, expectedHash) &&
    storedHash != null
  );
}
