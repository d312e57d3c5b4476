// Sign-in with a second factor, which is a passkey, a code from an app (RFC 6238), or one of ten
// recovery codes.
import { randomInt } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import qrcode from 'qrcode';
import type { z } from 'zod';
import { clock } from '#platform/server/clock.ts';
import type { Db, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { computeKeyedHash, seal, unseal } from '#platform/server/secrets.ts';
import type { PasskeyResponse } from '../contract.ts';
import * as accounts from './accounts.sql.ts';
import { deletePasskey } from './passkeys.sql.ts';
import { hasPasskey, verifyPasskey } from './passkeys.ts';
import { requirePassword } from './profile.ts';
import { requireLiveSession } from './sessions.ts';
import * as store from './two-factor.sql.ts';

type SentPasskey = z.infer<typeof PasskeyResponse>;

const PURPOSE = 'two-factor secret';
const ISSUER = 'Sendloom';
const PERIOD_SECONDS = 30;
/**
 * The number of 30-second steps before and after the current one whose codes are accepted, because
 * phone clocks are inexact.
 */
const WINDOW = 1;
const RECOVERY_CODES = 10;
/** The characters of recovery codes, without characters that are easily confused on paper. */
const CODE_CHARACTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
/** Three of a million codes are valid at a time, so only few attempts are allowed. */
const ATTEMPTS = { capacity: 10, perSecond: 10 / 900 };

const createTotp = (secret: string, label = '') =>
  new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret), period: PERIOD_SECONDS });

export async function readFactor(tx: Tx, userId: number) {
  const row = await store.findFactor(tx, userId);
  const hasApp = row?.confirmed_at != null;
  const isOn = hasApp || (await hasPasskey(tx, userId));
  return { is_on: isOn, has_app: hasApp, recovery_left: isOn ? (row?.recovery_left ?? 0) : 0 };
}

/**
 * Creates a secret for the app, as a QR code and as text. The app is not a second factor until the
 * secret is confirmed.
 */
export async function setUpFactor(tx: Tx, caller: Caller, password: string) {
  const user = await requireOwner(tx, caller, password);
  const secret = new Secret({ size: 20 }).base32;
  const sealedSecret = seal(PURPOSE, secret);
  if (!(await store.startFactor(tx, user.id, sealedSecret, clock.now()))) {
    throw new AppError('two_factor_on');
  }
  const address = createTotp(secret, user.email).toString();
  const svg = await qrcode.toString(address, { type: 'svg', margin: 2, errorCorrectionLevel: 'M' });
  const image = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
  return { secret, address, picture: image };
}

export async function confirmFactor(tx: Tx, caller: Caller, code: string): Promise<string[]> {
  await requireLiveSession(tx, caller);
  const row = await store.findFactor(tx, caller.userId);
  if (!row?.secret || row.confirmed_at) throw new AppError('two_factor_on');
  const step = computeStep(row.secret, code);
  if (step === undefined) throw wrongCode();
  const codes = generateRecoveryCodes();
  const hashes = codes.map(hashRecoveryCode);
  const input = { secret: row.secret, step, hashes, at: clock.now() };
  if (!(await store.confirmFactor(tx, caller.userId, input))) throw new AppError('two_factor_on');
  return codes;
}

/** Creates new codes; the previous ones become invalid. */
export async function renewRecovery(tx: Tx, caller: Caller, password: string): Promise<string[]> {
  const user = await requireOwner(tx, caller, password);
  const codes = generateRecoveryCodes();
  const { is_on: isOn } = await readFactor(tx, user.id);
  if (!isOn || !(await store.replaceRecovery(tx, user.id, codes.map(hashRecoveryCode)))) {
    throw new AppError('two_factor_off');
  }
  return codes;
}

export async function turnOffFactor(tx: Tx, caller: Caller, password: string): Promise<void> {
  const user = await requireOwner(tx, caller, password);
  await accounts.lockUser(tx, user.id);
  if (await hasPasskey(tx, user.id)) await store.removeApp(tx, user.id);
  else await store.deleteFactor(tx, user.id);
}

/**
 * Creates recovery codes for a user's first passkey; returns null if the user already has a second
 * factor.
 */
export async function createFirstCodes(tx: Tx, userId: number): Promise<string[] | null> {
  await accounts.lockUser(tx, userId);
  if ((await readFactor(tx, userId)).is_on) return null;
  const codes = generateRecoveryCodes();
  await store.saveRecovery(tx, userId, codes.map(hashRecoveryCode), clock.now());
  return codes;
}

/** Removes a passkey, and the recovery codes if the user then has no second factor. */
export async function removePasskey(tx: Tx, caller: Caller, id: number, password: string) {
  const user = await requireOwner(tx, caller, password);
  await accounts.lockUser(tx, user.id);
  if (!(await deletePasskey(tx, user.id, id))) throw notFound();
  if (!(await readFactor(tx, user.id)).is_on) await store.deleteFactor(tx, user.id);
}

/**
 * Succeeds if the user has no second factor, or if the passkey or the code is valid. A valid code
 * cannot be used again.
 * @param challenge the passkey's challenge, which the caller consumes outside of this transaction
 * @throws AppError code_required, wrong_code, passkey_failed
 */
export async function requireFactor(
  tx: Tx,
  userId: number,
  { code, passkey }: { code?: string | undefined; passkey?: SentPasskey | undefined },
  challenge: string | undefined,
): Promise<void> {
  const row = await store.findFactor(tx, userId);
  if (!row?.confirmed_at && !(await hasPasskey(tx, userId))) return;
  if (passkey && challenge !== undefined) {
    await verifyPasskey(tx, passkey, challenge, userId);
    return;
  }
  if (!code?.trim()) throw new AppError('code_required');
  const step = row?.secret && row.confirmed_at ? computeStep(row.secret, code) : undefined;
  const isAccepted =
    step === undefined
      ? await store.consumeRecovery(tx, userId, hashRecoveryCode(code))
      : await store.consumeStep(tx, userId, step);
  if (!isAccepted) throw wrongCode();
}

/**
 * Counts the attempt outside the sign-in transaction, which a wrong code rolls back.
 * @throws AppError too_many_requests
 */
export const limitCodes = (db: Db, userId: number) =>
  requireToken(db, `two-factor:${userId}`, ATTEMPTS);

const wrongCode = () => new AppError('wrong_code', { errors: { code: ['errors.wrong_code'] } });

/** Returns the signed-in user after verifying their password. */
export async function requireOwner(tx: Tx, caller: Caller, password: string) {
  const user = await accounts.findMember(tx, caller.accountId, caller.userId);
  if (!user) throw new AppError('not_found');
  await requirePassword(tx, user, password);
  return user;
}

/** Returns the 30-second step of a code, or undefined if the code is invalid. */
function computeStep(sealedSecret: Buffer, code: string): number | undefined {
  const token = code.replace(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return undefined;
  const timestamp = clock.now().getTime();
  const delta = createTotp(unseal(PURPOSE, sealedSecret)).validate({
    token,
    timestamp,
    window: WINDOW,
  });
  return delta === null ? undefined : Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta;
}

function generateRecoveryCodes(): string[] {
  const pickCharacter = () => CODE_CHARACTERS[randomInt(CODE_CHARACTERS.length)];
  const formatHalf = () => Array.from({ length: 5 }, pickCharacter).join('');
  return Array.from({ length: RECOVERY_CODES }, () => `${formatHalf()}-${formatHalf()}`);
}

/** Hashes a recovery code. Capitals, spaces and missing hyphens make no difference. */
function hashRecoveryCode(code: string): Buffer {
  return computeKeyedHash('recovery code', code.toLowerCase().replace(/[^a-z0-9]/g, ''));
}
