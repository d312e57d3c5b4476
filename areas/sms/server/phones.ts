// Lists, creates and releases SMS senders, and determines which requirements are open before a
// sender can be used.

import { parsePhone } from '#areas/subscribers/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import type { Phone } from '../contract.ts';
import { type PhoneKind, type PhoneStatus, TERMS_VERSION } from '../shared.ts';
import { countHolders } from './phone-owners.sql.ts';
import { releaseSender, type Proof, provePhone, checkOwnership } from './phone-owners.ts';
import * as store from './phones.sql.ts';

const TOLL_FREE = /^\+18(00|33|44|55|66|77|88)\d{7}$/;
/**
 * Two to eleven characters that carriers accept, beginning with a letter or digit, with at least
 * one letter.
 */
const NAME = /^(?=.*[A-Za-z])[A-Za-z0-9][A-Za-z0-9 &+_-]{1,10}$/;
const SHORT_CODE = /^\d{3,8}$/;

export async function listPhones(
  db: Reader,
  accountId: number,
  list: ListRequest<'created' | 'title' | 'modified'>,
) {
  const page = await buildListResponse(
    list,
    {
      rows: (slice) => store.listPhones(db, accountId, list, slice),
      total: () => store.countPhones(db, accountId, list),
    },
    (row) => row,
  );
  return { ...page, data: await presentPhones(db, accountId, page.data) };
}

export async function getPhoneRow(
  db: Reader,
  accountId: number,
  id: number,
): Promise<store.PhoneRow> {
  const row = await store.findPhone(db, accountId, id);
  if (!row) throw notFound();
  return row;
}

/** Returns a sender for a preview, even if it was released. */
export async function readAnyPhone(
  db: Reader,
  accountId: number,
  id: number,
): Promise<store.PhoneRow> {
  const row = await store.findAnyPhone(db, accountId, id);
  if (!row) throw notFound();
  return row;
}

export async function readPhone(db: Reader, accountId: number, id: number): Promise<Phone> {
  const [phone] = await presentPhones(db, accountId, [await getPhoneRow(db, accountId, id)]);
  return phone as Phone;
}

/**
 * Adds a sender as a draft. It can be used once ownership is proven and the terms are accepted; a
 * toll-free number also needs verification.
 * @param proof the proof of ownership that the account has now; if undefined, the operator assigns
 *   the sender, or the account enters a code sent to the number
 */
export async function createPhone(
  tx: Tx,
  accountId: number,
  { kind, value, useCase }: { kind: PhoneKind; value: string; useCase: string },
  proof: Proof | undefined,
): Promise<Phone> {
  const phone = readValue(kind, value.trim());
  const status: PhoneStatus = 'draft';
  const row = { kind, ...phone, use_case: useCase.trim(), status };
  const isFree = await checkOwnership(tx, accountId, row, proof);
  const id = await store.insertPhone(tx, accountId, row, clock.now());
  if (id === undefined) throw new AppError('phone_taken');
  if (proof && isFree) await provePhone(tx, accountId, { ...row, id }, proof);
  return readPhone(tx, accountId, id);
}

function readValue(kind: PhoneKind, value: string): { value: string; value_key: string } {
  if (kind === 'alphanumeric') {
    if (!NAME.test(value)) throw invalid({ value: ['errors.sender_name'] });
    return { value, value_key: value.toLowerCase() };
  }
  if (kind === 'short_code') {
    if (!SHORT_CODE.test(value)) throw invalid({ value: ['errors.short_code'] });
    return { value, value_key: value };
  }
  const number = parsePhone(value);
  if (typeof number === 'string') throw invalid({ value: [`errors.${number}`] });
  if (kind === 'toll_free' && !TOLL_FREE.test(number.phone)) {
    throw invalid({ value: ['errors.toll_free'] });
  }
  return { value: number.phone, value_key: number.phone };
}

export async function releasePhone(tx: Tx, accountId: number, id: number): Promise<void> {
  const phone = await getPhoneRow(tx, accountId, id);
  if ((await store.countScheduledFrom(tx, accountId, id)) > 0) throw new AppError('phone_in_use');
  await store.clearSenderOfDrafts(tx, accountId, id);
  await releaseSender(tx, accountId, phone);
}

export async function presentPhones(
  db: Reader,
  accountId: number,
  rows: readonly store.PhoneRow[],
): Promise<Phone[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const compliance = await store.findCompliance(db, accountId, ids);
  const unproven = rows.filter((row) => row.proof === null && row.kind !== 'alphanumeric');
  const holders = await countHolders(
    db,
    unproven.map((row) => row.value_key),
  );
  return rows.map((row) => {
    const phoneCompliance = compliance.find(({ phone_id }) => phone_id === row.id);
    return {
      id: encodeId('phone', row.id),
      kind: row.kind as PhoneKind,
      value: row.value,
      use_case: row.use_case,
      status: row.status as PhoneStatus,
      reason: row.reason,
      missing: listMissing(row, phoneCompliance),
      is_shared: row.proof === null && (holders.get(row.value_key) ?? 0) > 1,
      created: row.created_at.toISOString(),
    };
  });
}

function listMissing(
  row: store.PhoneRow,
  compliance: store.ComplianceRow | undefined,
): Phone['missing'] {
  if (row.status === 'active') return [];
  const missing: Phone['missing'] = [];
  if (row.proof === null) missing.push('owner');
  if (compliance?.terms_version !== TERMS_VERSION) missing.push('terms');
  if (row.kind !== 'toll_free') return missing;
  const status = compliance?.verification_status ?? 'draft';
  if (status === 'draft' || status === 'rejected') missing.push('verification');
  else if (status !== 'approved') missing.push('approval');
  return missing;
}

/**
 * Updates the status of a sender from its proof and compliance. Must be called after each change of
 * them that may change the status.
 */
export async function settlePhone(tx: Tx, accountId: number, id: number): Promise<void> {
  const row = await getPhoneRow(tx, accountId, id);
  const [compliance] = await store.findCompliance(tx, accountId, [id]);
  const missing = listMissing({ ...row, status: 'draft' }, compliance);
  const verification = compliance?.verification_status;
  const isRejected = row.kind === 'toll_free' && verification === 'rejected';
  const status: PhoneStatus =
    missing.length === 0
      ? 'active'
      : isRejected
        ? 'rejected'
        : verification === 'submitted' || verification === 'in_review'
          ? 'pending'
          : 'draft';
  const reason = isRejected ? (compliance?.verification_reason ?? null) : null;
  await store.updatePhone(tx, accountId, id, { status, reason, modified_at: clock.now() });
  sendChangeHint(tx, accountId, 'phone', id);
}
