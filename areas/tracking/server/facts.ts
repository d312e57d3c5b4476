// Facts about copies that others find out: bounces, complaints, unsubscribes, what was sent. Each is
// one effect however often it is told, and the end is the same in whatever order they come.
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database.ts';
import { hint } from '#platform/server/live.ts';
import { addToCounts, type Counts, insertEvents } from './engagement.sql.ts';
import {
  blankPeople,
  claimEvents,
  clearRefused,
  deleteFactEvents,
  FACTS,
  type FactKind,
  type FactRow,
  findLesser,
  lockRefused,
  type PairRow,
  setFirst,
  setInstants,
} from './facts.sql.ts';

/**
 * `at` defaults to now; `details` (code, reply …) is shown in reports; with `unproven` in them anybody could have
 * written it, and what is proven stands before it, whichever came first.
 */
export type Fact = {
  messageId: number;
  subscriberId: number;
  at?: Date;
  details?: Record<string, string>;
};

/** The relay refused the copy itself; else it had taken it, and the bounce came back later. */
export type Bounce = Fact & { isRefused?: boolean };

/** Refused for good because of the person's address. Status and suppression are the caller's. */
export function recordHardBounces(tx: Tx, accountId: number, bounces: readonly Bounce[]) {
  return recordBounces(tx, accountId, 'hard_bounce', bounces);
}

/** Refused or given up for another reason: mailbox full, policy, size. */
export function recordSoftBounces(tx: Tx, accountId: number, bounces: readonly Bounce[]) {
  return recordBounces(tx, accountId, 'soft_bounce', bounces);
}

async function recordBounces(
  tx: Tx,
  accountId: number,
  kind: 'hard_bounce' | 'soft_bounce',
  bounces: readonly Bounce[],
): Promise<void> {
  await record(tx, accountId, kind, bounces);
  const returned = bounces.filter((bounce) => !bounce.isRefused);
  await record(tx, accountId, 'returned', returned);
}

/**
 * Copies that were refused are tried again: until they are refused anew they count as bounced no longer. Of
 * those of unknown fate (`wereUnknown`) what came back goes as well: a new copy leaves in their place.
 */
export async function takeBackRefusals(
  tx: Tx,
  accountId: number,
  messageId: number,
  subscriberIds: readonly number[],
  wereUnknown: boolean,
): Promise<void> {
  const refused = await lockRefused(tx, accountId, messageId, subscriberIds, wereUnknown);
  if (refused.length === 0) return;
  await clearRefused(tx, accountId, messageId, refused);
  const counts = {
    hard_bounces: -refused.filter((one) => one.hard_bounced_at !== null).length,
    soft_bounces: -refused.filter((one) => one.soft_bounced_at !== null).length,
    returned: -refused.filter((one) => one.returned_at !== null).length,
  };
  await addToCounts(tx, accountId, new Map([[messageId, counts]]));
  hint(tx, accountId, 'message', messageId);
}

/** Reported as spam. */
export function recordComplaints(tx: Tx, accountId: number, facts: readonly Fact[]) {
  return record(tx, accountId, 'complaint', facts);
}

/** Left because of a message. */
export function recordUnsubscribes(tx: Tx, accountId: number, facts: readonly Fact[]) {
  return record(tx, accountId, 'unsubscribe', facts);
}

/** However often it is told, one event stands at the outcome's instant, with the words told of that. */
async function record(
  tx: Tx,
  accountId: number,
  kind: FactKind,
  facts: readonly Fact[],
): Promise<void> {
  if (facts.length === 0) return;
  const now = clock.now();
  const byPair = new Map<string, Fact & FactRow>();
  for (const fact of facts) {
    const one = { ...fact, at: fact.at ?? now, isUnproven: fact.details?.unproven !== undefined };
    const known = byPair.get(pairOf(one));
    if (!known || isMore(one, known)) byPair.set(pairOf(one), one);
  }
  const rows = [...byPair.values()].sort(
    (a, b) => a.subscriberId - b.subscriberId || a.messageId - b.messageId,
  );
  const first = await setFirst(tx, accountId, kind, rows);
  const isFirst = new Set(first.map(keyOf));
  const known = rows.filter((row) => !isFirst.has(pairOf(row)));
  const lesser = known.length === 0 ? [] : await findLesser(tx, accountId, kind, known);
  const isLesser = new Set(lesser.map(keyOf));
  const better = known.filter((row) => isLesser.has(pairOf(row)));
  if (better.length > 0) await setInstants(tx, accountId, kind, better);
  if (kind !== 'returned') {
    if (lesser.length > 0) await deleteFactEvents(tx, accountId, kind, lesser);
    const told = rows.filter((row) => isFirst.has(pairOf(row)) || isLesser.has(pairOf(row)));
    const events = told.map((row) => ({ ...row, kind, sequence: 0 }));
    if (events.length > 0) await insertEvents(tx, accountId, events);
  }
  const counts = new Map<number, Counts>();
  for (const { message_id: messageId } of first) {
    const { counter } = FACTS[kind];
    counts.set(messageId, { [counter]: (counts.get(messageId)?.[counter] ?? 0) + 1 });
  }
  await addToCounts(tx, accountId, counts);
  for (const messageId of counts.keys()) hint(tx, accountId, 'message', messageId);
}

const pairOf = (one: FactRow) => `${one.subscriberId} ${one.messageId}`;
const keyOf = (one: PairRow) => `${one.subscriber_id} ${one.message_id}`;

/** Of two that tell the same thing: proven before unproven, then the earlier. */
function isMore(one: FactRow, than: FactRow): boolean {
  return one.isUnproven === than.isUnproven ? one.at < than.at : than.isUnproven;
}

/**
 * Claims a provider's events for the caller's transaction, which does their effects: returns the ids
 * that are new. An event that comes again, even at the same moment, is claimed once.
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

/** Handler of `subscriber.unsubscribed`: whoever left mails because of a message counts for it. */
export async function unsubscribedBy(
  tx: Tx,
  left: {
    accountId: number;
    subscriberIds: number[];
    channel: string;
    messageId?: number | undefined;
  },
): Promise<void> {
  const { accountId, subscriberIds, messageId, channel } = left;
  // Its preference page also takes people out of text messages.
  if (messageId === undefined || channel !== 'email') return;
  await recordUnsubscribes(
    tx,
    accountId,
    subscriberIds.map((subscriberId) => ({ subscriberId, messageId })),
  );
}

/** Handler of `subscriber.erased` and `.purged`: addresses and agents go, what was counted stays. */
export async function forgetPeople(
  tx: Tx,
  erased: { accountId: number; subscriberIds: number[] },
): Promise<void> {
  await blankPeople(tx, erased.accountId, erased.subscriberIds);
}

/**
 * Handler of `message.failed`: a copy whose address does not exist is a hard bounce, any other that
 * was refused or given up a soft one. Copies to nobody's row (test mails) count nowhere.
 */
export async function copiesFailed(
  tx: Tx,
  failed: {
    accountId: number;
    messageId: number;
    at: Date;
    failures: { subscriberId: number | null; isPerson: boolean; code: string; reply: string }[];
  },
): Promise<void> {
  const { accountId, messageId, at } = failed;
  const bouncesOf = (isPerson: boolean): Bounce[] =>
    failed.failures.flatMap(({ subscriberId, code, reply, ...one }) =>
      subscriberId !== null && one.isPerson === isPerson
        ? [{ messageId, subscriberId, at, details: { code, reply }, isRefused: true }]
        : [],
    );
  await recordHardBounces(tx, accountId, bouncesOf(true));
  await recordSoftBounces(tx, accountId, bouncesOf(false));
}
