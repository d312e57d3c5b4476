// Ownership of senders: an account proves that it owns a sender, or the operator assigns it. A
// number has at most one owner; without an owner it neither sends nor receives.
import { readMember } from '#areas/accounts/server/index.ts';
import { operators } from '#areas/billing/server/index.ts';
import { notifyReload } from '#areas/delivery/server/ledger/index.ts';
import { accountHasOwnSenders } from '#areas/delivery/server/sender/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import * as owners from './phone-owners.sql.ts';
import * as store from './phones.sql.ts';

/**
 * How ownership was proven. built_in: the installation uses the built-in provider, which reaches no
 * real phones. provider: the account uses its own provider; valid for SMS sent and received through
 * it. operator: the operator assigned the sender. earlier: the account was the only holder when
 * ownership was introduced. code: the account entered the code of an SMS to the number.
 */
export type Proof = 'built_in' | 'provider' | 'operator' | 'earlier' | 'code';

/**
 * Returns the proof that the account has for a sender that it adds now. Without one (undefined), it
 * needs a code or a decision by the operator.
 */
export async function findProof(
  db: Reader,
  accountId: number,
  userId: number,
  provider: string,
): Promise<Proof | undefined> {
  if (await accountHasOwnSenders(db, 'sms', accountId)) return 'provider';
  if (provider === 'phone') return 'built_in';
  return (await isOperator(db, accountId, userId)) ? 'operator' : undefined;
}

/**
 * Returns whether OPERATOR_EMAILS names the user and their address is verified. If OPERATOR_EMAILS
 * is empty, every user of the installation's first account is an operator.
 */
async function isOperator(db: Reader, accountId: number, userId: number): Promise<boolean> {
  if (operators().length === 0) return (await owners.findFirstAccount(db)) === accountId;
  const user = await readMember(db, accountId, userId);
  return (
    user !== undefined && user.email_verified_at !== null && operators().includes(user.email_key)
  );
}

/**
 * Stores the proof and, for a number, makes the account its owner.
 * @throws `sender_taken` if another account owns the number
 */
export async function provePhone(
  tx: Tx,
  accountId: number,
  phone: Pick<store.PhoneRow, 'id' | 'kind' | 'value_key'>,
  proof: Proof,
): Promise<void> {
  const isNumber = phone.kind !== 'alphanumeric';
  if (isNumber && !(await owners.claimNumber(tx, accountId, phone.id, phone.value_key))) {
    throw new AppError('sender_taken');
  }
  const at = clock.now();
  await store.updatePhone(tx, accountId, phone.id, { proof, proven_at: at, modified_at: at });
}

/**
 * Returns true if the sender is alphanumeric or no other account owns the number. Returns false if
 * another account owns it only through its own provider and this account does not use its own
 * provider: then the operator decides.
 * @throws `sender_taken` if another account owns the number in any other case
 */
export async function checkOwnership(
  tx: Tx,
  accountId: number,
  phone: Pick<store.PhoneRow, 'kind' | 'value_key'>,
  proof: Proof | undefined,
): Promise<boolean> {
  if (phone.kind === 'alphanumeric') return true;
  const owner = await owners.findOwner(tx, phone.value_key);
  if (!owner || owner.account_id === accountId) return true;
  if (owner.proof !== 'provider' || proof === 'provider') throw new AppError('sender_taken');
  return false;
}

/**
 * Returns whether the account may send from this sender now; checked at each selection and handoff.
 * A proof by the account's own provider is not valid while that provider is disabled, because it
 * proves nothing about the installation's providers.
 */
export async function maySendFrom(
  db: Reader,
  accountId: number,
  phone: store.PhoneRow | undefined,
): Promise<boolean> {
  if (phone?.status !== 'active' || phone.proof === null) return false;
  if (phone.proof === 'provider') return accountHasOwnSenders(db, 'sms', accountId);
  if (phone.kind === 'alphanumeric') return true;
  const owner = await owners.findOwner(db, phone.value_key);
  return owner?.account_id === accountId && owner.id === phone.id;
}

/** Returns whether the account may send from the sender that a frozen message contains. */
export async function maySendAs(
  db: Reader,
  accountId: number,
  senderNumber: string,
): Promise<boolean> {
  const phones = await store.listActivePhones(
    db,
    accountId,
    senderNumber.startsWith('+') ? senderNumber : senderNumber.toLowerCase(),
  );
  const permissions = await Promise.all(phones.map((phone) => maySendFrom(db, accountId, phone)));
  return permissions.includes(true);
}

/** Releases a sender and removes its ownership; the next holder must prove ownership again. */
export async function releaseSender(
  tx: Tx,
  accountId: number,
  { id, value_key }: store.PhoneRow,
): Promise<void> {
  await owners.releaseNumber(tx, accountId, id, value_key);
  await notifyReload(tx, { accountId });
  await store.updatePhone(tx, accountId, id, {
    ...{ status: 'released', proof: null, proven_at: null },
    modified_at: clock.now(),
  });
}
