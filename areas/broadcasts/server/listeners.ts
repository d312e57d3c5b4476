// Handlers of delivery's events: first handoff, progress, changes and end of a message.
import { recordSentEmails } from '#areas/billing/server/index.ts';
import { getMessageKindRules } from '#areas/delivery/message-kinds.ts';
import {
  type MessageFacts,
  messageChanged,
  messageFinished,
  messageProgressed,
  messageStarted,
} from '#areas/delivery/server/index.ts';
import { findLead, findMessagesOfLead, readDelivery } from '#areas/delivery/server/ledger/index.ts';
import { on } from '#platform/server/area.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { findRow, markSent, findRowOfMessage } from './broadcasts.sql.ts';
import { broadcastFinished } from './events.ts';
import { isRestDue } from './experiments/decision.ts';
import type { BroadcastAdapter, BroadcastRow } from './adapter.ts';

/** Listeners for the manifest of the owning area. */
export function createListeners<Row extends BroadcastRow>(adapter: BroadcastAdapter<Row>) {
  const { idKind, messageKind } = adapter;
  const isOurs = (message: MessageFacts) => message.kind === messageKind;
  const hintChanged = async (tx: Tx, message: MessageFacts) => {
    if (!isOurs(message) || message.sourceId === null) return;
    sendChangeHint(tx, message.accountId, idKind, message.sourceId);
  };
  const onStarted = async (tx: Tx, message: MessageFacts) => {
    if (!isOurs(message)) return;
    const { accountId, messageId, at } = message;
    const lead = await findLead(tx, accountId, messageId);
    const id = await markSent(tx, adapter, accountId, lead, at);
    if (id === undefined) return;
    await adapter.onFirstHandoff?.(tx, id, accountId, at);
    sendChangeHint(tx, accountId, idKind, id);
  };
  /**
   * Records usage. If this was the last unfinished message of the broadcast, publishes
   * `broadcastFinished`; a broadcast without recipients is marked as SENT first.
   */
  const onFinished = async (tx: Tx, message: MessageFacts) => {
    if (!isOurs(message)) return;
    await recordUsage(tx, message);
    await hintChanged(tx, message);
    const { accountId, messageId, kind, at } = message;
    const lead = await findLead(tx, accountId, messageId);
    const messageIds = await findMessagesOfLead(tx, accountId, lead);
    const row = await findRowOfMessage<Row>(tx, adapter, accountId, lead);
    if (!row || (await isAnyUnfinished(tx, accountId, messageIds))) return;
    if (await isRestDue(tx, adapter, row)) return;
    const id = await markSent(tx, adapter, accountId, lead, at);
    if (id !== undefined) await adapter.onEndedEmpty?.(tx, id, accountId, at);
    await broadcastFinished.announce(tx, {
      ...{ accountId, kind, campaignId: row.id, messageIds, at },
    });
  };
  const isAnyUnfinished = async (tx: Tx, accountId: number, messageIds: readonly number[]) =>
    messageIds.length > 1 &&
    (await readDelivery(tx, accountId, messageIds)).some(
      ({ state }) => state !== 'finished' && state !== 'cancelled',
    );
  /** Records usage for the log of the month's emails. */
  const recordUsage = async (tx: Tx, { accountId, messageId, sourceId, at }: MessageFacts) => {
    if (getMessageKindRules(messageKind).channel !== 'email' || sourceId === null) return;
    const row = await findRow<Row>(tx, adapter, accountId, sourceId);
    const [delivery] = await readDelivery(tx, accountId, [messageId]);
    if (!row || !delivery) return;
    const emails = delivery.counts.accepted;
    await recordSentEmails(tx, {
      accountId,
      emails,
      label: row.title,
      source: `message ${messageId}`,
      at,
    });
  };
  return [
    on(messageStarted, onStarted),
    on(messageProgressed, hintChanged),
    on(messageChanged, hintChanged),
    on(messageFinished, onFinished),
  ];
}
