// Changes ownership of senders after a decision of the operator, or when the proof that an account
// has may have changed.
import { notifyReload } from '#areas/delivery/server/ledger/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import type { PhoneKind } from '../shared.ts';
import * as owners from './phone-owners.sql.ts';
import { releaseSender, findProof, provePhone } from './phone-owners.ts';
import * as store from './phones.sql.ts';
import { settlePhone } from './phones.ts';

const MAX_WAITING = 200;

/** Lists up to MAX_WAITING senders without a proof of ownership, for the operator. */
export async function listWaitingPhones(db: Reader) {
  const rows = await owners.listWaiting(db, MAX_WAITING);
  const numbers = rows.filter((row) => row.kind !== 'alphanumeric').map((row) => row.value_key);
  const holders = await owners.countHolders(db, numbers);
  return rows.map((row) => ({
    accountId: row.account_id,
    id: encodeId('phone', row.id),
    kind: row.kind as PhoneKind,
    value: row.value,
    use_case: row.use_case,
    created: row.created_at.toISOString(),
    is_shared: row.kind !== 'alphanumeric' && (holders.get(row.value_key) ?? 0) > 1,
  }));
}

/**
 * Stores the operator's proof of a sender. For a number, it makes the account the owner instead of
 * a previous owner.
 * @throws `not_found`
 */
export async function assignPhone(tx: Tx, accountId: number, id: number): Promise<void> {
  const phone = await store.findPhone(tx, accountId, id);
  if (!phone) throw notFound();
  if (phone.kind !== 'alphanumeric') await revokeFromOwner(tx, accountId, phone.value_key);
  await provePhone(tx, accountId, phone, 'operator');
  await settlePhone(tx, accountId, id);
}

async function revokeFromOwner(tx: Tx, accountId: number, valueKey: string): Promise<void> {
  const owner = await owners.findOwner(tx, valueKey);
  if (!owner || owner.account_id === accountId) return;
  await withdrawProof(tx, owner.account_id, { id: owner.id, value_key: valueKey });
  await settlePhone(tx, owner.account_id, owner.id);
}

/**
 * Declines a sender, by releasing it.
 * @throws `not_found`
 */
export async function refusePhone(tx: Tx, accountId: number, id: number): Promise<void> {
  const phone = await store.findPhone(tx, accountId, id);
  if (!phone) throw notFound();
  await releaseSender(tx, accountId, phone);
  sendChangeHint(tx, accountId, 'phone', id);
}

/**
 * Updates proofs after a change of the account's own providers, and before carrier compliance is
 * changed. Proofs by own providers are withdrawn if the account no longer uses any. Senders without
 * a proof get the proof that the account has now, except numbers that another account owns.
 */
export async function refreshProofs(
  tx: Tx,
  { accountId, userId }: Actor,
  provider: string,
): Promise<void> {
  const proof = await findProof(tx, accountId, userId, provider);
  for (const phone of await store.listUnsettledPhones(tx, accountId)) {
    if (phone.proof === proof) continue;
    if (phone.proof !== null) await withdrawProof(tx, accountId, phone);
    const owner = await owners.findOwner(tx, phone.value_key);
    const isFree = owner === undefined || owner.account_id === accountId;
    if (proof && (isFree || phone.kind === 'alphanumeric')) {
      await provePhone(tx, accountId, phone, proof);
    }
    await settlePhone(tx, accountId, phone.id);
  }
}

async function withdrawProof(
  tx: Tx,
  accountId: number,
  { id, value_key }: Pick<store.PhoneRow, 'id' | 'value_key'>,
): Promise<void> {
  await owners.releaseNumber(tx, accountId, id, value_key);
  await notifyReload(tx, { accountId });
  await store.updatePhone(tx, accountId, id, { proof: null, proven_at: null });
}
