// The recorder: it classifies hits and records their effects in the transaction that deletes them,
// so that each hit counts exactly once even if a process dies. Opens are recorded immediately. A
// click waits until its burst is over: until the subscriber's last click on the message is two
// seconds old, or the first one is ten seconds old.
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';

import type { Poller } from '#platform/server/jobs/pollers.ts';
import { findCountries } from '#platform/server/country.ts';
import {
  addToBreakdowns,
  addToCounts,
  addToOutcomes,
  addToTimes,
  insertEvents,
  raiseActivity,
  raiseSmsClicks,
  listRecentClicks,
} from './engagement.sql.ts';
import { acceptedAt, engagementRecorded } from './events.ts';
import {
  listAccountsWithHits,
  deleteHits,
  type HitRow,
  lockHits,
  markTracked,
  claimTracked,
} from './hits.sql.ts';
import {
  activityChanges,
  countBreakdowns,
  sumCounts,
  type ClassifiedHit,
  outcomeChanges,
  summarizeSmsClicks,
  timeChanges,
} from './sums.ts';
import { BURST_MS, detectDevice, isProxied, classifyHit } from './verdict.ts';

const HITS_PER_BATCH = 5000;
const MAX_WAIT_MS = 10_000;
const SWEEP_MS = 60_000;
const ACCOUNTS_PER_POLL = 50;

const pairOf = (hit: { messageId: number; subscriberId: number }) =>
  `${hit.messageId} ${hit.subscriberId}`;

/**
 * Records one batch of an account's hits. With `isAll`, it does not wait for the end of bursts.
 * Returns the numbers of hits in the batch that were recorded and that wait.
 */
export async function recordHits(
  db: Db,
  accountId: number,
  isAll = false,
): Promise<{ recordedCount: number; waitingCount: number }> {
  return inTransaction(db, async (tx) => {
    const hits = await lockHits(tx, accountId, HITS_PER_BATCH);
    const ready = isAll ? hits : readyHits(hits, clock.now().getTime());
    if (ready.length > 0) {
      await recordClassified(tx, accountId, await classifyHits(tx, accountId, ready));
      await deleteHits(tx, accountId, ready);
    }
    return { recordedCount: ready.length, waitingCount: hits.length - ready.length };
  });
}

/** Returns opens, and clicks whose burst is over. */
function readyHits(hits: readonly HitRow[], now: number): HitRow[] {
  const spans = new Map<string, { firstAt: number; lastAt: number }>();
  for (const hit of hits) {
    if (hit.kind !== 'click') continue;
    const at = hit.at.getTime();
    const span = spans.get(pairOf(hit));
    if (span) span.lastAt = at;
    else spans.set(pairOf(hit), { firstAt: at, lastAt: at });
  }
  return hits.filter((hit) => {
    const span = spans.get(pairOf(hit));
    if (hit.kind === 'open' || !span) return true;
    return now - span.lastAt >= BURST_MS || now - span.firstAt >= MAX_WAIT_MS;
  });
}

async function classifyHits(
  tx: Tx,
  accountId: number,
  hits: readonly HitRow[],
): Promise<ClassifiedHit[]> {
  const clicks = hits.filter((hit) => hit.kind === 'click');
  const acceptedTimes = await readAcceptedTimes(tx, accountId, clicks);
  const clicksAround = await clicksByPair(tx, accountId, clicks);
  const countries = await findCountries(hits.map((hit) => hit.ip));
  return hits.map((hit) => {
    const pair = pairOf(hit);
    const at = hit.at.getTime();
    const acceptedTime = acceptedTimes.get(pair);
    const nearbyClicks = (clicksAround.get(pair) ?? []).filter(
      (click) => Math.abs(click.at - at) <= BURST_MS,
    );
    const { verdict, reason } = classifyHit({
      kind: hit.kind,
      manner: hit.manner ?? undefined,
      userAgent: hit.userAgent,
      ip: hit.ip,
      msSinceAccepted: acceptedTime === undefined ? undefined : at - acceptedTime,
      nearbyLinkCount: new Set(nearbyClicks.map((click) => click.position)).size,
    });
    const country = countryOf(hit, countries);
    return { ...hit, verdict, reason, device: detectDevice(hit.userAgent), country };
  });
}

/**
 * Returns the country of the IP address; null for an image proxy, whose address is not the
 * reader's.
 */
function countryOf(hit: HitRow, countries: ReadonlyMap<string, string>): string | null {
  return isProxied(hit.userAgent) ? null : (countries.get(hit.ip) ?? null);
}

async function readAcceptedTimes(tx: Tx, accountId: number, clicks: readonly HitRow[]) {
  const pairs = [...new Map(clicks.map((hit) => [pairOf(hit), hit])).values()];
  if (pairs.length === 0) return new Map<string, number>();
  const acceptances = await acceptedAt.collect(tx, {
    accountId,
    pairs: pairs.map(({ messageId, subscriberId }) => ({ messageId, subscriberId })),
  });
  return new Map(acceptances.map((pair) => [pairOf(pair), pair.at.getTime()]));
}

/** Returns clicks by copy, from the batch and from shortly before it. */
async function clicksByPair(tx: Tx, accountId: number, clicks: readonly HitRow[]) {
  const byPair = new Map<string, { at: number; position: number | null }[]>();
  const add = (pair: string, click: { at: number; position: number | null }) => {
    const list = byPair.get(pair);
    if (list) list.push(click);
    else byPair.set(pair, [click]);
  };
  const [first] = clicks;
  if (!first) return byPair;
  const since = new Date(Math.min(...clicks.map((hit) => hit.at.getTime())) - BURST_MS);
  const subscriberIds = [...new Set(clicks.map((hit) => hit.subscriberId))];
  for (const row of await listRecentClicks(tx, accountId, subscriberIds, since)) {
    const pair = pairOf({ messageId: row.message_id, subscriberId: row.subscriber_id });
    add(pair, { at: row.at.getTime(), position: row.link_position });
  }
  for (const hit of clicks) add(pairOf(hit), { at: hit.at.getTime(), position: hit.position });
  return byPair;
}

async function recordClassified(
  tx: Tx,
  accountId: number,
  hits: readonly ClassifiedHit[],
): Promise<void> {
  const outcomes = outcomeChanges(hits);
  await insertEvents(tx, accountId, hits);
  const outcomeSums = await addToOutcomes(tx, accountId, outcomes);
  await raiseActivity(tx, accountId, activityChanges(outcomes, hits));
  await raiseSmsClicks(tx, accountId, summarizeSmsClicks(hits));
  await addToTimes(tx, accountId, timeChanges(hits));
  await addToBreakdowns(tx, accountId, countBreakdowns(hits));
  const counts = sumCounts(outcomes, outcomeSums);
  await addToCounts(tx, accountId, counts);
  await engagementRecorded.announce(tx, { accountId, engagement: [...hits] });
  for (const messageId of counts.keys()) sendChangeHint(tx, accountId, 'message', messageId);
}

/** Records all pending hits of all accounts, without waiting for bursts to end. */
export async function recordAllHits(db: Db): Promise<void> {
  for (const accountId of await listAccountsWithHits(db)) {
    while ((await recordHits(db, accountId, true)).recordedCount > 0);
  }
}

/**
 * Records one batch of hits per account, for the accounts that were marked first. Returns the
 * number of recorded hits.
 */
async function pollOnce(db: Db, signal: AbortSignal): Promise<number> {
  const unfinishedAccounts: number[] = [];
  let recordedCount = 0;
  for (const accountId of await claimTracked(db, ACCOUNTS_PER_POLL)) {
    const result = signal.aborted
      ? undefined
      : await isolateFailure('Could not record tracking hits', { account: accountId }, () =>
          recordHits(db, accountId),
        );
    recordedCount += result?.recordedCount ?? 0;
    if (!result || result.waitingCount > 0 || result.recordedCount === HITS_PER_BATCH)
      unfinishedAccounts.push(accountId);
  }
  if (unfinishedAccounts.length > 0) await markTracked(db, unfinishedAccounts, clock.now());
  return recordedCount;
}

let sweptAt = Number.NEGATIVE_INFINITY;

/**
 * Marks all accounts with hits because a killed process may have copied hits without marking their
 * account.
 */
async function sweep(db: Db): Promise<void> {
  if (performance.now() - sweptAt < SWEEP_MS) return;
  const accountIds = await listAccountsWithHits(db);
  if (accountIds.length > 0) await markTracked(db, accountIds, clock.now());
  sweptAt = performance.now();
}

/** Records pending hits continuously. */
export const trackingPoller: Poller = {
  name: 'tracking',
  intervalMs: 200,
  async run(db, signal) {
    await sweep(db);
    while ((await pollOnce(db, signal)) >= HITS_PER_BATCH && !signal.aborted);
  },
};
