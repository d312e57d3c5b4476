// Number ownership: proven by a code or by the account's own provider, or assigned by the operator.
// Without an owner a number neither sends nor receives.
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
 * built_in: the built-in provider, which reaches no real phones. provider: the account's own
 * provider, valid for SMS sent and received through it. operator: assigned. earlier: the only
 * holder when ownership was introduced. code: entered the code of an SMS to the number.
 */
export type Proof = 'built_in' | 'provider' | 'operator' | 'earlier' | 'code';

/**
 * The proof the account can show for a sender that it adds now; undefined: the operator decides.
 */
export async function proofFor(
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
 * A user named by OPERATOR_EMAILS; where that is empty, the users of the installation's first
 * account.
 */
async function isOperator(db: Reader, accountId: number, userId: number): Promise<boolean> {
  if (operators().length === 0) return (await owners.findFirstAccount(db)) === accountId;
  const user = await readMember(db, accountId, userId);
  return (
    user !== undefined && user.email_verified_at !== null && operators().includes(user.email_key)
  );
}

/** @throws `sender_taken` where another account owns the number */
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
 * False if the owner's proof is only a provider of its own: that proves nothing about the
 * installation's providers, so the operator decides.
 * @throws `sender_taken` where another account owns the number
 */
export async function requireUnowned(
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
 * Whether the account may send from this sender now; checked at each selection and handoff. A proof
 * by the account's own provider ends when that provider is disabled, because it proves nothing
 * about the installation's.
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

/** Whether the account owns the sender of a frozen message. */
export async function maySendAs(db: Reader, accountId: number, from: string): Promise<boolean> {
  const phones = await store.activePhones(
    db,
    accountId,
    from.startsWith('+') ? from : from.toLowerCase(),
  );
  const may = await Promise.all(phones.map((phone) => maySendFrom(db, accountId, phone)));
  return may.includes(true);
}

/** A released number has no owner; its next holder proves it again. */
export async function clearPhoneOwner(
  tx: Tx,
  accountId: number,
  { id, value_key }: store.PhoneRow,
): Promise<void> {
  await owners.disownNumber(tx, accountId, id, value_key);
  await notifyReload(tx, { accountId });
  await store.updatePhone(tx, accountId, id, {
    ...{ status: 'released', proof: null, proven_at: null },
    modified_at: clock.now(),
  });
}
