// Publishes the consequences of a set of results: announces accepted single sends and failures,
// sets the status of subscribers whose address does not exist to bounced, and suppresses such
// addresses of single sends without a subscriber.
import { bounce } from '#areas/subscribers/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { ActiveMessage } from '../sender/active-message.ts';
import { type AttemptResult, getResultCode } from './result-rows.ts';
import { messageFailed, singlesAccepted } from '../events.ts';
import { classifyCause } from '../feedback/classification.ts';
import { suppressAddresses } from '../feedback/addresses.ts';
import { getStatusChannel } from '../channels/addresses.sql.ts';

/** Runs in the transaction that writes the results. */
export async function publishResults(
  tx: Tx,
  message: ActiveMessage,
  list: readonly AttemptResult[],
  at: Date,
): Promise<void> {
  const { accountId, id: messageId, kind, sourceId } = message;
  const event = { accountId, messageId, kind, sourceId, at };
  const singles = list.flatMap(({ handoff, verdict: { state } }) =>
    handoff.row.kind === 'singles' && state === 'accepted'
      ? [{ id: handoff.row.id, subscriberId: handoff.subscriberId }]
      : [],
  );
  if (singles.length > 0) {
    const subscriberIds = singles.map((single) => single.subscriberId);
    const singleIds = singles.map((single) => single.id);
    await singlesAccepted.announce(tx, { ...event, subscriberIds, singleIds });
  }
  const failures = list.flatMap(({ handoff, verdict, result }) =>
    verdict.state === 'failed' && result
      ? [
          {
            // A refusal of the sender implies nothing about the recipient.
            subscriberId: verdict.isSenderRefused ? null : handoff.subscriberId || null,
            singleId: handoff.row.kind === 'singles' ? handoff.row.id : null,
            isUnknownRecipient: verdict.isUnknownRecipient,
            hasOptedOut: result.sms?.hasOptedOut === true,
            code: getResultCode(result),
            reply: result.reply,
            cause: classifyCause(getResultCode(result), result.reply),
          },
        ]
      : [],
  );
  if (failures.length === 0) return;
  const bouncedIds = failures.flatMap((failure) =>
    failure.isUnknownRecipient && failure.subscriberId ? [failure.subscriberId] : [],
  );
  if (bouncedIds.length > 0) {
    const channel = getStatusChannel(message.kindRules.channel, message.isMarketing);
    await bounce(tx, accountId, { subscriberIds: bouncedIds }, { channel, messageId });
  }
  const { channel, permission } = message.kindRules;
  if (channel === 'email' && permission !== 'none')
    await suppressUnknownAddresses(tx, message, list);
  await messageFailed.announce(tx, { ...event, failures });
}

/**
 * Suppresses addresses that do not exist, for single sends without a subscriber. A bounce report
 * that arrives later has the same effect.
 */
async function suppressUnknownAddresses(
  tx: Tx,
  { accountId, id: messageId, isMarketing }: ActiveMessage,
  list: readonly AttemptResult[],
): Promise<void> {
  const channel = isMarketing ? 'email' : 'temail';
  const missing = list.filter(
    ({ handoff, verdict: { state, isUnknownRecipient } }) =>
      state === 'failed' && isUnknownRecipient && handoff.subscriberId === 0,
  );
  const keys = missing.map(({ handoff }) => handoff.to.toLowerCase());
  await suppressAddresses(tx, accountId, keys, 'hard_bounce', { channel, messageId });
}
