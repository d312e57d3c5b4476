// Processes delivery receipts and incoming SMS from providers. Events may arrive repeatedly and in
// any order.
import { randomUUID } from 'node:crypto';
import { findAccountOfSms, readSingleSms, settleSms } from '#areas/delivery/server/ledger/index.ts';
import type { SmsEvent } from '#areas/delivery/server/sender/index.ts';
import { cleanValue, cutText } from '#platform/server/clean-text.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { optOut, ingestInbound } from './inbound.ts';

const MAX_ERROR_LENGTH = 500;

/**
 * Processes and commits an event of a provider. `onlyAccountId` is the account whose own provider
 * reported it; then it affects only that account's SMS and numbers.
 */
export async function ingestSmsEvent(
  db: Db,
  provider: string,
  smsEvent: SmsEvent,
  onlyAccountId?: number,
): Promise<void> {
  const event = cleanValue(smsEvent);
  const { remoteId, at } = event;
  if (event.kind === 'inbound' || event.kind === 'opted_out') {
    const text = event.kind === 'inbound' ? event.text : 'STOP';
    const { from, to } = event;
    // Only identical IDs show that two reports are about one SMS, because people may send the same
    // text twice.
    const eventId = `${provider} ${remoteId || randomUUID()}`;
    await ingestInbound(db, { from, to, text, eventId, at }, onlyAccountId);
    return;
  }
  if (onlyAccountId !== undefined && findAccountOfSms(event.reference) !== onlyAccountId) return;
  const isDelivered = event.kind === 'delivered';
  const outcome = isDelivered
    ? { costMicros: event.costMicros }
    : { error: cutText(event.error, MAX_ERROR_LENGTH) };
  const hasOptedOut = event.kind === 'undelivered' && event.hasOptedOut === true;
  await inTransaction(db, async (tx) => {
    const { part } = event;
    const settlement = { isDelivered, at, remoteId, part, ...outcome };
    const smsReference = await settleSms(tx, event.reference, settlement);
    if (!smsReference || !hasOptedOut) return;
    const { account, message, subscriber, ordinal } = smsReference;
    if (subscriber > 0) {
      await optOut(tx, account, '', subscriber, message);
      return;
    }
    // Without a subscriber, the number itself is suppressed.
    const recipient = (await readSingleSms(tx, account, ordinal))?.recipient;
    if (recipient) await optOut(tx, account, recipient, undefined, message);
  });
}
