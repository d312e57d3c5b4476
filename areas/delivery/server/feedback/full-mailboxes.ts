// Treats a mailbox that stays full as a hard bounce: at least five messages bounced for this reason
// within the last 60 days, the first and last at least a week apart. An open, a click or an
// accepted copy shows that the mailbox accepts email, so earlier bounces do not count.
import { bounce } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { classifyCause } from './classification.ts';
import { findLastAccepted, type SoftBounce, listSoftBouncesSince } from './feedback.sql.ts';

const MIN_CONSECUTIVE_BOUNCES = 5;
const DAY_MS = 86_400_000;
const MIN_SERIES_MS = 7 * DAY_MS;
const LOOKBACK_MS = 60 * DAY_MS;
/**
 * Age from which an accepted copy shows that the mailbox accepts email. A newer copy may still
 * bounce because relays retry a full mailbox for up to five days.
 */
const SETTLED_AFTER_MS = 6 * DAY_MS;

/** Marks subscribers as bounced whose mailbox has been full for long enough. */
export async function bounceFullMailboxes(
  tx: Tx,
  accountId: number,
  subscriberIds: readonly number[],
  messageId: number,
): Promise<void> {
  if (subscriberIds.length === 0) return;
  const now = clock.now().getTime();
  const since = new Date(now - LOOKBACK_MS);
  const fullMailboxBounces = (
    await listSoftBouncesSince(tx, accountId, subscriberIds, since)
  ).filter(isFull);
  const candidates = [...bouncesBySubscriber(fullMailboxBounces)].filter(([, list]) =>
    isLongSeries(list),
  );
  if (candidates.length === 0) return;
  const settledBefore = new Date(now - SETTLED_AFTER_MS);
  const ids = candidates.map(([id]) => id);
  const lastAcceptedAt = new Map(
    (await findLastAccepted(tx, accountId, ids, { since, settled: settledBefore })).map((row) => [
      row.subscriber_id,
      row.at,
    ]),
  );
  const abandonedIds = candidates.flatMap(([id, list]) => {
    const acceptedAt = lastAcceptedAt.get(id);
    const series = acceptedAt ? list.filter(({ at }) => at > acceptedAt) : list;
    return isLongSeries(series) ? [id] : [];
  });
  if (abandonedIds.length > 0) {
    await bounce(tx, accountId, { subscriberIds: abandonedIds }, { channel: 'email', messageId });
  }
}

/**
 * Handles `message.failed` for mailboxes that were full at the handoff. It must run after
 * `onMessageFailed` of tracking, which records the soft bounces.
 */
export async function onFullMailboxAtHandoff(
  tx: Tx,
  event: {
    accountId: number;
    messageId: number;
    failures: { subscriberId: number | null; code: string; reply: string }[];
  },
): Promise<void> {
  const ids = event.failures.flatMap(({ subscriberId, code, reply }) =>
    subscriberId !== null && classifyCause(code, reply) === 'full' ? [subscriberId] : [],
  );
  await bounceFullMailboxes(tx, event.accountId, ids, event.messageId);
}

const isFull = (softBounce: SoftBounce) =>
  (softBounce.cause ?? classifyCause(softBounce.code ?? '', softBounce.reply ?? '')) === 'full';

/** Returns by subscriber the first bounce of each message, oldest first. */
function bouncesBySubscriber(bounces: readonly SoftBounce[]): Map<number, SoftBounce[]> {
  const bySubscriber = new Map<number, Map<number, SoftBounce>>();
  for (const bounce of bounces) {
    const byMessage = bySubscriber.get(bounce.subscriber_id) ?? new Map<number, SoftBounce>();
    // A message counts once, no matter how many reports arrived.
    if (!byMessage.has(bounce.message_id)) byMessage.set(bounce.message_id, bounce);
    bySubscriber.set(bounce.subscriber_id, byMessage);
  }
  return new Map([...bySubscriber].map(([id, byMessage]) => [id, [...byMessage.values()]]));
}

/** Returns whether there are enough bounces, and enough time from the first to the last. */
function isLongSeries(list: readonly SoftBounce[]): boolean {
  const [first] = list;
  const last = list.at(-1);
  if (!first || !last || list.length < MIN_CONSECUTIVE_BOUNCES) return false;
  return last.at.getTime() - first.at.getTime() >= MIN_SERIES_MS;
}
