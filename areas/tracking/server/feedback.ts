// Records the bounces, complaints and unsubscribes that other areas report about copies. Each fact
// counts once even if it is reported several times, and the result does not depend on the order of
// reports.
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { addToCounts, type CounterChanges, insertEvents } from './engagement.sql.ts';
import { copyMailboxes, type MessagePair } from './events.ts';
import {
  eraseSubscribers,
  claimEvents,
  deleteRefusals,
  deleteFeedbackEvents,
  FEEDBACK_COLUMNS,
  type FeedbackKind,
  type FeedbackRow,
  findWeakerFeedback,
  lockRefusedOutcomes,
  type PairRow,
  setFirstInstants,
  setInstants,
} from './feedback.sql.ts';
import { addToSetbacks, type Setback, type SetbackChange } from './setbacks.sql.ts';

/**
 * `at` defaults to now. `details` (code, reply …) are shown in reports. If they contain `unproven`,
 * the report could be forged, and a proven one replaces it.
 */
export type Feedback = {
  messageId: number;
  subscriberId: number;
  at?: Date;
  details?: Record<string, string>;
};

/**
 * `isRefused` is true if the relay refused the copy at the handoff, and false if the copy bounced
 * later.
 */
export type BounceFeedback = Feedback & { isRefused?: boolean };

/**
 * Records copies that were refused permanently because of the address. The caller updates status
 * and suppression.
 */
export function recordHardBounces(tx: Tx, accountId: number, bounces: readonly BounceFeedback[]) {
  return recordBounces(tx, accountId, 'hard_bounce', bounces);
}

/** Records copies that were refused or abandoned for another reason: mailbox full, policy, size. */
export function recordSoftBounces(tx: Tx, accountId: number, bounces: readonly BounceFeedback[]) {
  return recordBounces(tx, accountId, 'soft_bounce', bounces);
}

async function recordBounces(
  tx: Tx,
  accountId: number,
  kind: 'hard_bounce' | 'soft_bounce',
  bounces: readonly BounceFeedback[],
): Promise<void> {
  await recordFeedback(tx, accountId, kind, bounces);
  const returnedBounces = bounces.filter((bounce) => !bounce.isRefused);
  await recordFeedback(tx, accountId, 'returned', returnedBounces);
}

/**
 * Deletes refusals of copies that are retried, so that they no longer count as bounced. Later
 * bounces are deleted only if the copies were of unknown outcome (`wereUnknown`).
 */
export async function reverseRefusals(
  tx: Tx,
  accountId: number,
  messageId: number,
  subscriberIds: readonly number[],
  wereUnknown: boolean,
): Promise<void> {
  const refusals = await lockRefusedOutcomes(tx, accountId, messageId, subscriberIds, wereUnknown);
  if (refusals.length === 0) return;
  const byPolicy = await deleteRefusals(tx, accountId, messageId, refusals);
  const counts = {
    hard_bounces: -refusals.filter((refusal) => refusal.hard_bounced_at !== null).length,
    soft_bounces: -refusals.filter((refusal) => refusal.soft_bounced_at !== null).length,
    returned: -refusals.filter((refusal) => refusal.returned_at !== null).length,
  };
  await addToCounts(tx, accountId, new Map([[messageId, counts]]));
  const setbacks = refusals.flatMap((refusal): SetbackChange[] => {
    const { subscriber_id: subscriberId, hard_bounced_at: hard, soft_bounced_at: soft } = refusal;
    const base = { messageId, subscriberId, delta: -1 } as const;
    const setback = byPolicy.has(subscriberId) ? 'policy' : 'other';
    return [
      ...(hard ? [{ ...base, at: hard, setback: 'hard' } as const] : []),
      ...(soft ? [{ ...base, at: soft, setback } as const] : []),
    ];
  });
  await countSetbacks(tx, accountId, setbacks);
  sendChangeHint(tx, accountId, 'message', messageId);
}

/** Records spam complaints. */
export function recordComplaints(tx: Tx, accountId: number, complaints: readonly Feedback[]) {
  return recordFeedback(tx, accountId, 'complaint', complaints);
}

/** Records unsubscribes through a message. */
export function recordUnsubscribes(tx: Tx, accountId: number, unsubscribes: readonly Feedback[]) {
  return recordFeedback(tx, accountId, 'unsubscribe', unsubscribes);
}

/**
 * Records facts. A fact that is reported several times has one event. The strongest report
 * determines the event's details and its instant, which the outcome also stores.
 */
async function recordFeedback(
  tx: Tx,
  accountId: number,
  kind: FeedbackKind,
  feedback: readonly Feedback[],
): Promise<void> {
  if (feedback.length === 0) return;
  const now = clock.now();
  const byPair = new Map<string, Feedback & FeedbackRow>();
  for (const item of feedback) {
    const row = { ...item, at: item.at ?? now, isUnproven: item.details?.unproven !== undefined };
    const current = byPair.get(pairOf(row));
    if (!current || isStronger(row, current)) byPair.set(pairOf(row), row);
  }
  const rows = [...byPair.values()].sort(
    (a, b) => a.subscriberId - b.subscriberId || a.messageId - b.messageId,
  );
  const firstRows = await setFirstInstants(tx, accountId, kind, rows);
  const firstKeys = new Set(firstRows.map(keyOf));
  const repeatedRows = rows.filter((row) => !firstKeys.has(pairOf(row)));
  const weakerRows =
    repeatedRows.length === 0 ? [] : await findWeakerFeedback(tx, accountId, kind, repeatedRows);
  const weakerKeys = new Set(weakerRows.map(keyOf));
  const strongerRows = repeatedRows.filter((row) => weakerKeys.has(pairOf(row)));
  if (strongerRows.length > 0) await setInstants(tx, accountId, kind, strongerRows);
  const setbacks: SetbackChange[] = [];
  if (kind !== 'returned') {
    if (weakerRows.length > 0) {
      const byPolicy = await deleteFeedbackEvents(tx, accountId, kind, weakerRows);
      const wasPolicy = new Set(byPolicy.map(keyOf));
      for (const { message_id: messageId, subscriber_id: subscriberId, at } of weakerRows) {
        const key = `${subscriberId} ${messageId}`;
        const setback = setbackOf(kind, wasPolicy.has(key));
        setbacks.push({ messageId, subscriberId, at, setback, delta: -1 });
      }
    }
    const newRows = rows.filter((row) => firstKeys.has(pairOf(row)) || weakerKeys.has(pairOf(row)));
    const events = newRows.map((row) => ({ ...row, kind, sequence: 0 }));
    if (events.length > 0) await insertEvents(tx, accountId, events);
    for (const { messageId, subscriberId, at, details } of newRows) {
      const setback = setbackOf(kind, isPolicy(details));
      setbacks.push({ messageId, subscriberId, at, setback, delta: 1 });
    }
  }
  const counts = new Map<number, CounterChanges>();
  for (const { message_id: messageId } of firstRows) {
    const { counter } = FEEDBACK_COLUMNS[kind];
    counts.set(messageId, { [counter]: (counts.get(messageId)?.[counter] ?? 0) + 1 });
  }
  // Adds nothing to messages whose facts were only replaced, but locks their counts as
  // countSetbacks needs.
  for (const { messageId } of setbacks) if (!counts.has(messageId)) counts.set(messageId, {});
  await addToCounts(tx, accountId, counts);
  await countSetbacks(tx, accountId, setbacks);
  for (const messageId of counts.keys()) sendChangeHint(tx, accountId, 'message', messageId);
}

/**
 * Counts setbacks by the mailbox provider that the copy was sent to. The subscriber's provider may
 * have changed since, with the address or with the host of its domain.
 */
async function countSetbacks(
  tx: Tx,
  accountId: number,
  setbacks: readonly SetbackChange[],
): Promise<void> {
  if (setbacks.length === 0) return;
  const pairs = new Map(
    setbacks.map(({ messageId, subscriberId }) => {
      const pair = { messageId, subscriberId };
      return [pairOf(pair), pair];
    }),
  );
  const copies = await copyMailboxes.collect(tx, { accountId, pairs: [...pairs.values()] });
  const mailboxes = new Map(copies.map((copy) => [pairOf(copy), copy.mailbox]));
  const changes = setbacks.map((setback) => ({
    ...setback,
    mailbox: mailboxes.get(pairOf(setback)) ?? null,
  }));
  await addToSetbacks(tx, accountId, changes);
}

/** Causes of soft bounces by policy: a filter or rule of the receiver, or the sending domain. */
const POLICY: ReadonlySet<string> = new Set(['policy', 'domain']);

/** Returns whether a soft bounce was by policy; IS_POLICY is the same condition in SQL. */
function isPolicy({ cause, code = '' }: Record<string, string> = {}): boolean {
  return cause === undefined ? /^[45]\.7\./.test(code) : POLICY.has(cause);
}

function setbackOf(kind: Exclude<FeedbackKind, 'returned'>, isPolicy: boolean): Setback {
  if (kind === 'hard_bounce') return 'hard';
  if (kind === 'soft_bounce') return isPolicy ? 'policy' : 'other';
  return kind === 'complaint' ? 'complaints' : 'unsubscribes';
}

const pairOf = (pair: MessagePair) => `${pair.subscriberId} ${pair.messageId}`;
const keyOf = (pairRow: PairRow) => `${pairRow.subscriber_id} ${pairRow.message_id}`;

/**
 * Returns whether the first of two reports of a fact replaces the second: proven reports win, then
 * earlier ones.
 */
function isStronger(row: FeedbackRow, other: FeedbackRow): boolean {
  return row.isUnproven === other.isUnproven ? row.at < other.at : other.isUnproven;
}

/**
 * Claims a provider's events for the caller's transaction, which applies them. Returns the IDs of
 * events that were not claimed before; a repeated event, even a concurrent one, is claimed only
 * once.
 * @param provider 'ses', 'postmark', 'dsn' …
 */
export async function claimProviderEvents(
  tx: Tx,
  accountId: number,
  provider: string,
  eventIds: readonly string[],
): Promise<Set<string>> {
  return new Set(await claimEvents(tx, accountId, provider, eventIds, clock.now()));
}

/**
 * Handles `subscriber.unsubscribed`: records unsubscribes from email for the message that led to
 * them.
 */
export async function onSubscribersUnsubscribed(
  tx: Tx,
  event: {
    accountId: number;
    subscriberIds: number[];
    channel: string;
    messageId?: number | undefined;
  },
): Promise<void> {
  const { accountId, subscriberIds, messageId, channel } = event;
  // Through the preference page, an email may lead to an unsubscribe from SMS, which does not
  // count.
  if (messageId === undefined || channel !== 'email') return;
  await recordUnsubscribes(
    tx,
    accountId,
    subscriberIds.map((subscriberId) => ({ subscriberId, messageId })),
  );
}

/**
 * Handles `subscriber.erased` and `subscriber.purged`: deletes IP addresses, user agents and
 * details.
 */
export async function onSubscribersErased(
  tx: Tx,
  event: { accountId: number; subscriberIds: number[] },
): Promise<void> {
  await eraseSubscribers(tx, event.accountId, event.subscriberIds);
}

/**
 * Handles `message.failed`: records a hard bounce if the address does not exist, otherwise a soft
 * bounce. Copies without a subscriber (such as test emails) are not recorded.
 */
export async function onMessageFailed(
  tx: Tx,
  event: {
    accountId: number;
    messageId: number;
    at: Date;
    failures: {
      subscriberId: number | null;
      isUnknownRecipient: boolean;
      code: string;
      reply: string;
      cause: string;
    }[];
  },
): Promise<void> {
  const { accountId, messageId, at } = event;
  const bouncesOf = (isUnknown: boolean): BounceFeedback[] =>
    event.failures.flatMap(({ subscriberId, code, reply, cause, ...failure }) =>
      subscriberId !== null && failure.isUnknownRecipient === isUnknown
        ? [{ messageId, subscriberId, at, details: { code, reply, cause }, isRefused: true }]
        : [],
    );
  await recordHardBounces(tx, accountId, bouncesOf(true));
  await recordSoftBounces(tx, accountId, bouncesOf(false));
}
