// Passkeys (WebAuthn): registration by a signed-in user, and sign-in. The authenticator verifies
// its user by a finger, a face or a PIN each time, so a passkey alone provides both factors.
import type { AuthenticatorTransport, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { z } from 'zod';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import { hashSecret, computeKeyedHash } from '#platform/server/secrets.ts';
import { MAX_PASSKEYS } from '../shared.ts';
import type { PasskeyResponse } from '../contract.ts';
import type { Passkey } from '../passkey-contract.ts';
import * as accounts from './accounts.sql.ts';
import * as store from './passkeys.sql.ts';

const CHALLENGE_MS = 5 * 60_000;
const NAME = 'Sendloom';
/** Passkeys must verify their user, and be discoverable to sign in without a typed address. */
const REQUIREMENTS = { residentKey: 'required', userVerification: 'required' } as const;

let party = { id: 'localhost', origin: 'http://localhost' };

/**
 * Binds passkeys to the public address: a passkey created for another site does not sign in here.
 */
export function configurePasskeys(publicUrl: string): void {
  const { hostname, origin } = new URL(publicUrl);
  party = { id: hostname, origin };
}

/** Loaded on first use. */
const loadLibrary = () => import('@simplewebauthn/server');

const present = (row: store.PasskeyRow): Passkey => ({
  id: encodeId('passkey', row.id),
  name: row.name,
  created: row.created_at.toISOString(),
  last_used: row.used_at?.toISOString() ?? null,
});

export async function listPasskeys(tx: Tx, userId: number): Promise<Passkey[]> {
  return (await store.listPasskeys(tx, userId)).map(present);
}

export const hasPasskey = async (tx: Tx, userId: number) =>
  (await store.listPasskeys(tx, userId)).length > 0;

/** Returns registration options for a user who entered their password. */
export async function startPasskey(tx: Tx, user: accounts.UserRow) {
  const passkeys = await store.listPasskeys(tx, user.id);
  if (passkeys.length >= MAX_PASSKEYS) throw new AppError('too_many_passkeys');
  const { generateRegistrationOptions } = await loadLibrary();
  const options = await generateRegistrationOptions({
    rpName: NAME,
    rpID: party.id,
    userName: user.email,
    userDisplayName: [user.name, user.surname].filter(Boolean).join(' ') || user.email,
    // The handle is the same for all passkeys of a user and contains no personal data.
    userID: new Uint8Array(computeKeyedHash('passkey user', String(user.id))),
    attestationType: 'none',
    authenticatorSelection: REQUIREMENTS,
    excludeCredentials: passkeys.map((row) => ({ id: row.credential_id.toString('base64url') })),
  });
  await storeChallenge(tx, options.challenge, user.id);
  return options;
}

/** @throws AppError passkey_failed */
export async function addPasskey(
  tx: Tx,
  caller: Caller,
  name: string,
  input: unknown,
  expectedChallenge: string,
): Promise<Passkey> {
  const response = input as RegistrationResponseJSON;
  const { verifyRegistrationResponse } = await loadLibrary();
  const registration = await verifyRegistrationResponse({
    response,
    expectedChallenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
  }).catch(() => undefined);
  if (!registration?.verified) throw createFailure();
  const { credential } = registration.registrationInfo;
  const row = await store.insertPasskey(tx, {
    user_id: caller.userId,
    credential_id: Buffer.from(credential.id, 'base64url'),
    public_key: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: credential.transports ?? [],
    name,
    created_at: clock.now(),
  });
  // Credential IDs are unique, so a repeated one was copied.
  if (!row) throw createFailure();
  const passkeys = await store.listPasskeys(tx, caller.userId);
  if (passkeys.length > MAX_PASSKEYS) throw new AppError('too_many_passkeys');
  return present(row);
}

export async function renamePasskey(tx: Tx, userId: number, id: number, name: string) {
  const row = await store.renamePasskey(tx, userId, id, name);
  if (!row) throw notFound();
  return present(row);
}

export async function startSignIn(tx: Tx) {
  const { generateAuthenticationOptions } = await loadLibrary();
  const { userVerification } = REQUIREMENTS;
  const options = await generateAuthenticationOptions({ rpID: party.id, userVerification });
  await storeChallenge(tx, options.challenge, null);
  return options;
}

/**
 * Verifies the signed challenge and returns the passkey's user. If `userId` is given, only a
 * passkey of this user is accepted. A counter that does not increase reveals a cloned
 * authenticator.
 * @throws AppError passkey_failed
 */
export async function verifyPasskey(
  tx: Tx,
  input: z.infer<typeof PasskeyResponse>,
  expectedChallenge: string,
  userId?: number,
): Promise<number> {
  const row = await store.lockPasskey(tx, Buffer.from(input.id, 'base64url'));
  if (!row || (userId !== undefined && row.user_id !== userId)) throw createFailure();
  const { id, rawId, type } = input;
  const { userHandle, clientDataJSON, authenticatorData, signature } = input.response;
  const handle = computeKeyedHash('passkey user', String(row.user_id)).toString('base64url');
  if (userHandle && userHandle !== handle) throw createFailure();
  const { verifyAuthenticationResponse } = await loadLibrary();
  const verification = await verifyAuthenticationResponse({
    response: {
      ...{ id, rawId, type, clientExtensionResults: {} },
      response: { clientDataJSON, authenticatorData, signature },
    },
    expectedChallenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    credential: {
      id: row.credential_id.toString('base64url'),
      publicKey: new Uint8Array(row.public_key),
      counter: row.counter,
      transports: row.transports as AuthenticatorTransport[],
    },
  }).catch(() => undefined);
  if (!verification?.verified) throw createFailure();
  await store.markUsed(tx, row.id, verification.authenticationInfo.newCounter, clock.now());
  return row.user_id;
}

/**
 * Returns the user and account that a passkey signs in.
 * @throws AppError passkey_failed
 */
export async function signInByPasskey(
  tx: Tx,
  input: z.infer<typeof PasskeyResponse>,
  challenge: string,
): Promise<{ accountId: number; userId: number }> {
  const userId = await verifyPasskey(tx, input, challenge);
  const membership = await accounts.findFirstAccount(tx, userId);
  if (!membership || !(await accounts.lockMembership(tx, membership.account_id, userId)))
    throw createFailure();
  return { accountId: membership.account_id, userId };
}

const createFailure = () => new AppError('passkey_failed');

async function storeChallenge(tx: Tx, challenge: string, userId: number | null): Promise<void> {
  const expiresAt = new Date(clock.now().getTime() + CHALLENGE_MS);
  await store.insertChallenge(tx, { hash: hashSecret(challenge), userId, expiresAt });
}

/**
 * Consumes the signed challenge. Sign-ins and registrations call it before their transaction so
 * that a failure that rolls back does not leave the challenge open for more attempts.
 * @throws AppError passkey_failed
 */
export async function spendChallenge(
  db: Reader,
  input: unknown,
  userId: number | null,
): Promise<string> {
  const { response } = input as { response: { clientDataJSON: string } };
  const challenge = readChallenge(response.clientDataJSON);
  const isOurs =
    challenge !== undefined &&
    (await store.consumeChallenge(db, hashSecret(challenge), userId, clock.now()));
  if (!isOurs) throw createFailure();
  return challenge;
}

function readChallenge(clientData: string): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientData, 'base64url').toString('utf8'));
    return typeof challenge === 'string' ? challenge : undefined;
  } catch {
    return undefined;
  }
}
