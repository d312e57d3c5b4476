// What providers tell of texts and bring from people: each event once, in whatever order they come.
import { accountOfText, settleText, type TextEvent } from '#areas/delivery/server/index.ts';
import { cleanValue, cutText } from '#platform/server/clean-text.ts';
import { type Db, inTransaction } from '#platform/server/database.ts';
import { leave, takeInbound } from './inbound.ts';

/** Committed once it is back. `only`: told by this account's own provider, which knows nothing of others' texts and numbers. */
export async function takeTextEvent(
  db: Db,
  provider: string,
  told: TextEvent,
  only?: number,
): Promise<void> {
  const event = cleanValue(told);
  const { remoteId, at } = event;
  if (event.kind === 'inbound' || event.kind === 'opted_out') {
    const text = event.kind === 'inbound' ? event.text : 'STOP';
    const { from, to } = event;
    await takeInbound(db, { from, to, text, eventId: `${provider} ${remoteId}`, at }, only);
    return;
  }
  if (only !== undefined && accountOfText(event.reference) !== only) return;
  const isDelivered = event.kind === 'delivered';
  const more = isDelivered
    ? { costMicros: event.costMicros }
    : { error: cutText(event.error, 500) };
  const hasLeft = event.kind === 'undelivered' && event.hasLeft === true;
  await inTransaction(db, async (tx) => {
    const facts = await settleText(tx, event.reference, { isDelivered, at, remoteId, ...more });
    if (facts && hasLeft && facts.subscriber > 0) {
      await leave(tx, facts.account, '', facts.subscriber, facts.message);
    }
  });
}
