// Records the outcomes of SMS: acceptance by a provider, later delivery receipts, and charges.
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { getInstallationTokens, type TokenPayload } from '#areas/tracking/server/index.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { getMessageKindRules } from '../../message-kinds.ts';
import type { FrozenSmsMessage } from '../channels/sms.ts';
import { smsDelivered } from '../events.ts';
import {
  type ReceiptQuery,
  isSameNumber,
  type KnownSms,
  type SmsHandoff,
  type TextPart,
} from '../relays/sms-provider.ts';
import type { ActiveMessage } from '../sender/active-message.ts';
import type { LedgerHandoff } from '../sender/sending.ts';
import type { AttemptResult } from './result-rows.ts';
import { addCounts, findMessage, lockState } from './messages.sql.ts';
import { chargeSettled, chargeSms } from './sms-credit.ts';
import * as store from './sms.sql.ts';

/**
 * Stores the parts, costs and provider IDs of accepted SMS, in the transaction that writes the
 * results. `chargeAccepted` charges for them at its end.
 */
export async function saveSms(
  tx: Tx,
  message: ActiveMessage,
  list: readonly AttemptResult[],
): Promise<void> {
  if (message.kindRules.channel !== 'sms') return;
  const acceptedSms = acceptedAmong(list);
  if (acceptedSms.length === 0) return;
  await store.saveAccepted(tx, message.accountId, message.id, acceptedSms);
  await store.savePartIds(tx, message.accountId, message.id, acceptedSms);
}

/**
 * Charges the account for accepted SMS that cost credit, at the end of the transaction that writes
 * the results.
 */
export async function chargeAccepted(
  tx: Tx,
  { accountId, id, credit }: ActiveMessage,
  list: readonly AttemptResult[],
): Promise<void> {
  if (!credit) return;
  const acceptedSms = acceptedAmong(list);
  if (acceptedSms.length > 0) await chargeSms(tx, accountId, id, acceptedSms, credit.prices);
}

function acceptedAmong(list: readonly AttemptResult[]): (store.AcceptedSms & { to: string })[] {
  return list.flatMap(({ handoff, verdict, result }) => {
    if (verdict.state !== 'accepted') return [];
    const { parts = (handoff as LedgerHandoff & SmsHandoff).parts, ...text } = result?.sms ?? {};
    const { costMicros = null, remoteId = null, partIds = [] } = text;
    return [{ ...placeOf(handoff), to: handoff.to, parts, costMicros, remoteId, partIds }];
  });
}

function placeOf({ row, attempt }: LedgerHandoff): store.SmsCopyKey {
  if (row.kind === 'singles') return { lane: store.SINGLE_LANE, ordinal: row.id, attempt: 1 };
  return { lane: row.lane, ordinal: row.ordinal, attempt };
}

type DeliveryReceipt = {
  isDelivered: boolean;
  at: Date;
  remoteId: string;
  error?: string | undefined;
  /** The provider's charge, if the receipt states it. */
  costMicros?: number | undefined;
  part?: TextPart | undefined;
};

/**
 * Applies a provider's receipt to the copy that the reference identifies. A receipt shows that the
 * provider accepted the copy, so an unknown copy becomes accepted. Receipts may arrive in any order
 * and any number of times. Returns the copy, or undefined if no copy has this reference.
 */
export async function settleSms(
  tx: Tx,
  reference: string,
  receipt: DeliveryReceipt,
): Promise<TokenPayload | undefined> {
  const payload = getInstallationTokens().read(reference, 'messageId');
  if (!payload) return undefined;
  const { account, message: messageId } = payload;
  const message = await findMessage(tx, account, messageId);
  if (!message || getMessageKindRules(message.kind).channel !== 'sms') return undefined;
  await lockState(tx, account, messageId);
  const isSingle = message.frozen_hash !== null;
  const place = isSingle
    ? { lane: store.SINGLE_LANE, ordinal: payload.ordinal, attempt: 1 }
    : await store.findRecipientPlace(tx, account, messageId, payload.subscriber);
  if (!place) return undefined;
  const { part, ...whole } = receipt;
  const isOpen =
    part !== undefined && part.partCount > 1 && (await isIncomplete(tx, payload, place, receipt));
  const error = receipt.error ?? null;
  const isNewDelivery =
    !isOpen && (await store.saveReceipt(tx, account, messageId, { ...place, ...whole, error }));
  if (isNewDelivery) {
    await smsDelivered.announce(tx, {
      accountId: account,
      messageId,
      kind: message.kind,
      sourceId: message.source_id,
      at: receipt.at,
      subscriberId: payload.subscriber > 0 ? payload.subscriber : null,
      singleId: isSingle ? place.ordinal : null,
    });
  }
  const wasUnknown = isSingle
    ? await store.settleSingle(tx, account, place.ordinal)
    : await store.settleRecipient(tx, account, messageId, place);
  if (!wasUnknown) return payload;
  const lane = isSingle ? MAILBOXES.other : place.lane;
  const lanes = [{ lane, accepted: 1, deferred: 0, failed: 0 }];
  await addCounts(tx, account, messageId, { unknown: -1, lanes });
  const { credit } = message.frozen as Partial<FrozenSmsMessage>;
  if (credit) await chargeSettled(tx, account, messageId, place, credit);
  return payload;
}

/**
 * Stores the receipt of one part. Returns true if this part was delivered and other parts were not
 * yet.
 */
async function isIncomplete(
  tx: Tx,
  { account, message }: TokenPayload,
  place: store.SmsCopyKey,
  { part, isDelivered, at }: DeliveryReceipt,
): Promise<boolean> {
  const { id, partCount } = part as TextPart;
  const partReceipt = { ...place, id, partCount, isDelivered, at };
  const deliveredCount = await store.savePart(tx, account, message, partReceipt);
  return isDelivered && deliveredCount < partCount;
}

/** Returns the account of a reference; undefined if this installation did not issue it. */
export function findAccountOfSms(reference: string): number | undefined {
  return getInstallationTokens().read(reference, 'messageId')?.account;
}

/**
 * Finds the copy that an SMS center's receipt is about: by the exact ID, otherwise by an alias
 * among the copies to the same number. `accountId` limits the search to copies of this account.
 */
export async function findSmsReference(
  db: Reader,
  query: ReceiptQuery,
  accountId?: number,
): Promise<KnownSms | undefined> {
  const candidates = await store.findByRemoteId(db, query, accountId);
  const exact = candidates.find(({ remoteId }) => query.ids.includes(remoteId));
  const { numbers } = query;
  const match =
    exact ?? candidates.find(({ to }) => to && numbers.some((number) => isSameNumber(number, to)));
  if (!match) return undefined;
  const reference = getInstallationTokens().makeMany([match], ['messageId'])[0]?.[0];
  return reference === undefined ? undefined : { reference, partCount: match.parts ?? 1 };
}
