// Proves ownership of a number by a code: an SMS to the number contains six digits, which the
// account enters.
import { randomInt, timingSafeEqual } from 'node:crypto';
import { readAccount } from '#areas/accounts/server/index.ts';
import { operators } from '#areas/billing/server/index.ts';
import { sendOne } from '#areas/delivery/server/ledger/index.ts';
import { findPhoneCountry } from '#areas/subscribers/server/index.ts';
import { isLanguage } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { computeKeyedHash } from '#platform/server/secrets.ts';
import { serverTexts } from '#platform/server/texts.ts';
import type { Compliance, Phone } from '../contract.ts';
import { type PhoneKind, canReach } from '../shared.ts';
import type { FrozenSmsText } from './channel.ts';
import * as store from './phone-codes.sql.ts';
import { findFirstAccount, findOwner } from './phone-owners.sql.ts';
import { maySendFrom, provePhone } from './phone-owners.ts';
import { listActivePhones, type PhoneRow } from './phones.sql.ts';
import { getPhoneRow, readPhone, settlePhone } from './phones.ts';

const HOUR_MS = 3_600_000;
const VALIDITY_MS = 600_000;
const MAX_ATTEMPTS = 5;
const MAX_NUMBER_CODES = 3;
const MAX_ACCOUNT_CODES = 5;
/**
 * The maximum number of an account's senders that are checked for one that can reach the number.
 */
const MAX_SENDERS = 20;
const PURPOSE = 'codes of SMS senders';

type Installation = { publicUrl: string; provider: string };

/** Returns whether the account may prove ownership by a code, and when the newest code expires. */
export async function readOwnership(
  db: Reader,
  accountId: number,
  id: number,
  installation: Installation,
): Promise<Compliance['owner']> {
  const phone = await getPhoneRow(db, accountId, id);
  const mayProve = phone.proof === null && (await findNumberOwner(db, phone)) === undefined;
  const sender = mayProve ? await findCodeSender(db, phone, installation) : undefined;
  const code = sender && (await store.findCode(db, accountId, id));
  const isValid = code && code.expires_at > clock.now() && code.attempts < MAX_ATTEMPTS;
  return {
    by_code: sender !== undefined,
    code_expires_at: isValid ? code.expires_at.toISOString() : null,
    has_operator: operators().length > 0,
  };
}

/** @throws `sender_taken`, `phone_proven`, `code_not_possible`, `too_many_requests` */
export async function sendCode(
  db: Db,
  accountId: number,
  id: number,
  installation: Installation,
): Promise<Date> {
  await store.deleteSends(db, new Date(clock.now().getTime() - HOUR_MS));
  return inTransaction(db, (tx) => makeCode(tx, accountId, id, installation));
}

async function makeCode(
  tx: Tx,
  accountId: number,
  id: number,
  installation: Installation,
): Promise<Date> {
  const phone = await getPhoneRow(tx, accountId, id);
  await requireProvable(tx, phone);
  const sender = await findCodeSender(tx, phone, installation);
  if (!sender) throw new AppError('code_not_possible');
  await countSend(tx, `number ${phone.value_key}`, MAX_NUMBER_CODES);
  await countSend(tx, `account ${accountId}`, MAX_ACCOUNT_CODES);
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  const expiresAt = new Date(clock.now().getTime() + VALIDITY_MS);
  const row = { account_id: accountId, phone_id: id, expires_at: expiresAt };
  await store.saveCode(tx, { ...row, code_hash: hashCode(row, code) });
  await deliverCode(tx, phone, { code, sender, publicUrl: installation.publicUrl });
  return expiresAt;
}

/**
 * Sends the code. It is stored encrypted until the SMS is sent so that the account cannot read it
 * elsewhere.
 */
async function deliverCode(
  tx: Tx,
  phone: PhoneRow,
  { code, sender, publicUrl }: { code: string; sender: PhoneRow; publicUrl: string },
): Promise<void> {
  const { account_id: accountId } = phone;
  const { language } = await readAccount(tx, accountId);
  const text: FrozenSmsText = {
    ...{ from: sender.value, isName: sender.kind === 'alphanumeric', publicUrl, title: 'Code' },
    words: {
      ...{ prefix: null, text: '{{code}}', ending: null, plainQuotes: true },
      ...{ locale: 'en', campaign: null },
    },
  };
  await sendOne(tx, {
    ...{ accountId, kind: 'sms_code', sourceId: null, text, recipient: phone.value },
    values: {
      code: serverTexts('sms', isLanguage(language) ? language : 'eng')('phoneCode', { code }),
    },
    ...{ isSecret: true, idempotencyKey: crypto.randomUUID() },
  });
}

/**
 * Checks a code and makes the account the number's owner. A wrong code is counted in a transaction
 * that commits before the error is thrown.
 */
export async function verifyCode(
  db: Db,
  accountId: number,
  id: number,
  enteredCode: string,
): Promise<Phone> {
  const result = await inTransaction(db, async (tx) => {
    const phone = await getPhoneRow(tx, accountId, id);
    await requireProvable(tx, phone);
    const row = await store.lockCode(tx, accountId, id);
    if (!row || row.expires_at <= clock.now() || row.attempts >= MAX_ATTEMPTS) {
      // Throws if another request verified the code while this one waited for the lock.
      await requireProvable(tx, await getPhoneRow(tx, accountId, id));
      return 'code_expired' as const;
    }
    if (!timingSafeEqual(hashCode(row, enteredCode.replace(/\D/g, '')), row.code_hash)) {
      await store.countAttempt(tx, accountId, id);
      return row.attempts + 1 < MAX_ATTEMPTS ? ('wrong_code' as const) : ('code_expired' as const);
    }
    await store.deleteCode(tx, accountId, id);
    await provePhone(tx, accountId, phone, 'code');
    await settlePhone(tx, accountId, id);
    return readPhone(tx, accountId, id);
  });
  if (typeof result !== 'string') return result;
  throw new AppError(result, { errors: { code: [`errors.${result}`] } });
}

const hashCode = (
  { account_id, phone_id }: { account_id: number; phone_id: number },
  code: string,
): Buffer => computeKeyedHash(PURPOSE, `${account_id} ${phone_id} ${code}`);

const findNumberOwner = (db: Reader, { value_key }: PhoneRow) => findOwner(db, value_key);

async function requireProvable(db: Reader, phone: PhoneRow): Promise<void> {
  if (phone.proof !== null) throw new AppError('phone_proven');
  if (await findNumberOwner(db, phone)) throw new AppError('sender_taken');
}

/**
 * Returns the sender of the code: a sender of the account, or else of the installation's first
 * account, which is the operator's. Undefined if there is none, the number cannot receive SMS, or
 * the installation has no provider.
 */
async function findCodeSender(
  db: Reader,
  phone: PhoneRow,
  { provider }: Installation,
): Promise<PhoneRow | undefined> {
  if (provider === 'none') return undefined;
  if (phone.kind !== 'long_code' && phone.kind !== 'toll_free') return undefined;
  const firstAccount = await findFirstAccount(db);
  const country = findPhoneCountry(phone.value);
  for (const accountId of new Set([
    phone.account_id,
    ...(firstAccount === undefined ? [] : [firstAccount]),
  ])) {
    for (const sender of await listActivePhones(db, accountId, undefined, MAX_SENDERS)) {
      // Codes are sent through the installation's provider; a proof by an account's own provider is
      // not valid there.
      if (sender.proof === 'provider' || !canReach(sender.kind as PhoneKind, country)) continue;
      if (await maySendFrom(db, accountId, sender)) return sender;
    }
  }
  return undefined;
}

/** Counts a sent code. @throws `too_many_requests` if `max` codes were sent within the last hour */
async function countSend(tx: Tx, key: string, max: number): Promise<void> {
  const now = clock.now();
  const hourAgo = new Date(now.getTime() - HOUR_MS);
  const recent = (await store.lockSends(tx, key, now)).filter((at) => at > hourAgo);
  const [oldest] = recent;
  if (oldest && recent.length >= max) {
    const retryAfter = Math.ceil((oldest.getTime() - hourAgo.getTime()) / 1000);
    throw new AppError('too_many_requests', { retryAfterSeconds: Math.max(1, retryAfter) });
  }
  await store.saveSends(tx, key, [...recent, now], now);
}
