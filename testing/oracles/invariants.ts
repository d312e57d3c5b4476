// Checks invariant I of the ledger: the states sum to the audience and to the counters, also by
// lane; messages at the relay are accepted, unknown or being handed over, and accepted messages are
// at the relay; no recipient gets a message twice without a second attempt. Also, bounces,
// complaints and unsubscribes by mailbox provider sum to the message's counts.
import { sql } from 'kysely';
import { readDelivery } from '#areas/delivery/server/ledger/index.ts';
import { getInstallationTokens } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db, Reader } from '#platform/server/database/database.ts';

export type RecipientFact = {
  lane: number;
  ordinal: number;
  subscriber_id: number;
  state: string;
  reason: string | null;
  code: string | null;
  attempts: number;
};

/** Returns the state of each recipient, derived only from the stored rows. */
export async function listRecipients(
  db: Reader,
  accountId: number,
  messageId: number,
): Promise<RecipientFact[]> {
  const { rows } = await sql<RecipientFact>`
    select r.lane, r.ordinal, r.subscriber_id, last.reason, last.code,
      coalesce(last.attempt, 0) as attempts,
      case
        when d.owner is not null then
          case when d.expires_at >= ${clock.now()} then 'handing_over' else 'unknown' end
        when last.state is not null then last.state::text
        when l.started_to >= r.ordinal then
          case when l.expires_at >= ${clock.now()} and l.owner <> '' then 'handing_over' else 'unknown' end
        when m.state = 'cancelled' then 'skipped'
        else 'pending' end as state
    from recipients r
    join messages m on m.account_id = r.account_id and m.id = r.message_id
    left join lateral (
      select * from results x where x.account_id = ${accountId} and x.message_id = r.message_id
        and x.lane = r.lane and x.ordinal = r.ordinal
      order by attempt desc limit 1) last on true
    left join leases l on l.account_id = r.account_id and l.message_id = r.message_id
      and l.lane = r.lane and r.ordinal between l.from_ordinal and l.to_ordinal
    left join deferrals d on d.account_id = r.account_id and d.message_id = r.message_id
      and d.lane = r.lane and d.ordinal = r.ordinal
    where r.account_id = ${accountId} and r.message_id = ${messageId}
    order by r.lane, r.ordinal`.execute(db);
  return rows;
}

export type InvariantResult = { states: Record<string, number>; problems: string[] };

/** @param log the Message-IDs (without brackets) of all messages that the relay accepted */
export async function checkInvariant(
  db: Db,
  accountId: number,
  messageId: number,
  log: readonly string[],
): Promise<InvariantResult> {
  // Reads rows and counters in one snapshot because a sender may be running.
  const [recipients, [delivery], lanes, setbacks] = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => [
      await listRecipients(tx, accountId, messageId),
      await readDelivery(tx, accountId, [messageId]),
      await laneSums(tx, accountId, messageId),
      await findSetbackProblems(tx, accountId, messageId),
    ]);
  const problems: string[] = [];
  const states: Record<string, number> = {};
  for (const recipient of recipients) states[recipient.state] = (states[recipient.state] ?? 0) + 1;
  if (!delivery) return { states, problems: ['There is no such message'] };
  if (delivery.audience !== recipients.length) {
    problems.push(
      `The audience is stored as ${delivery.audience}, but has ${recipients.length} rows`,
    );
  }
  for (const [state, count] of Object.entries(delivery.counts)) {
    if (count !== (states[state] ?? 0)) {
      problems.push(
        `${state} is counted as ${count}, but ${states[state] ?? 0} recipients have it`,
      );
    }
  }
  problems.push(...compareWithLanes(recipients, lanes), ...setbacks);
  problems.push(...compareWithLog(recipients, accountId, messageId, log));
  return { states, problems };
}

type LaneSums = { by_lane: Record<string, number>; sums: object; totals: object };

/** Returns the accepted recipients by lane, the sums of all lanes, and the message's counts. */
async function laneSums(
  db: Reader,
  accountId: number,
  messageId: number,
): Promise<LaneSums | undefined> {
  const { rows } = await sql<LaneSums>`
    with lanes as (
      select lane, sum(accepted) as accepted, sum(deferred) as deferred, sum(failed) as failed
      from lane_counts where account_id = ${accountId} and message_id = ${messageId} group by lane
    )
    select coalesce((select jsonb_object_agg(lane, accepted) from lanes), '{}') as by_lane,
      (select jsonb_build_object('accepted', coalesce(sum(accepted), 0),
        'deferred', coalesce(sum(deferred), 0), 'failed', coalesce(sum(failed), 0)) from lanes) as sums,
      (select jsonb_build_object('accepted', accepted, 'deferred', deferred, 'failed', failed)
        from delivery_counts where account_id = ${accountId} and message_id = ${messageId}) as totals`.execute(
    db,
  );
  return rows[0];
}

function compareWithLanes(
  recipients: readonly RecipientFact[],
  laneCounts: LaneSums | undefined,
): string[] {
  if (!laneCounts) return ['The lanes have no counts'];
  const problems: string[] = [];
  const [sums, totals] = [JSON.stringify(laneCounts.sums), JSON.stringify(laneCounts.totals)];
  if (sums !== totals) problems.push(`The lanes sum to ${sums}, the message counts ${totals}`);
  const acceptedCounts: Record<string, number> = {};
  for (const { lane, state } of recipients) {
    if (state === 'accepted') acceptedCounts[lane] = (acceptedCounts[lane] ?? 0) + 1;
  }
  for (const lane of new Set([
    ...Object.keys(acceptedCounts),
    ...Object.keys(laneCounts.by_lane),
  ])) {
    const [count, rows] = [laneCounts.by_lane[lane] ?? 0, acceptedCounts[lane] ?? 0];
    if (count !== rows) problems.push(`Lane ${lane} counts ${count} accepted, but has ${rows}`);
  }
  return problems;
}

type SetbackSums = { counted: object; by_mailbox: object; events: object };

/**
 * Returns differences between a message's counts of bounces, complaints and unsubscribes, their
 * sums over mailbox providers and days, and its events. While facts are being recorded, it must run
 * in a snapshot.
 */
export async function findSetbackProblems(
  db: Reader,
  accountId: number,
  messageId: number,
): Promise<string[]> {
  const { rows } = await sql<SetbackSums>`
    select
      (select jsonb_build_object('hard', coalesce(sum(hard_bounces), 0),
        'soft', coalesce(sum(soft_bounces), 0), 'complaints', coalesce(sum(complaints), 0),
        'unsubscribes', coalesce(sum(unsubscribes), 0)) from engagement_counts
        where account_id = ${accountId} and message_id = ${messageId}) as counted,
      (select jsonb_build_object('hard', coalesce(sum(hard), 0),
        'soft', coalesce(sum(policy + other), 0), 'complaints', coalesce(sum(complaints), 0),
        'unsubscribes', coalesce(sum(unsubscribes), 0)) from setback_counts
        where account_id = ${accountId} and message_id = ${messageId}) as by_mailbox,
      (select jsonb_build_object('hard', count(*) filter (where kind = 'hard_bounce'),
        'soft', count(*) filter (where kind = 'soft_bounce'),
        'complaints', count(*) filter (where kind = 'complaint'),
        'unsubscribes', count(*) filter (where kind = 'unsubscribe')) from events
        where account_id = ${accountId} and message_id = ${messageId}) as events`.execute(db);
  const problems: string[] = [];
  for (const { counted, by_mailbox: byMailbox, events } of rows) {
    const [counts, sums, facts] = [counted, byMailbox, events].map((row) => JSON.stringify(row));
    if (sums !== counts) problems.push(`Setbacks sum to ${sums}, the message counts ${counts}`);
    if (sums !== facts) problems.push(`Setbacks sum to ${sums}, the events are ${facts}`);
  }
  return problems;
}

function compareWithLog(
  recipients: readonly RecipientFact[],
  account: number,
  message: number,
  log: readonly string[],
): string[] {
  const tokens = getInstallationTokens();
  const problems: string[] = [];
  const copiesByToken = new Map<string, number>();
  for (const id of log) {
    const token = id.split('@')[0] as string;
    if (tokens.read(token, 'messageId')?.message !== message) continue;
    copiesByToken.set(token, (copiesByToken.get(token) ?? 0) + 1);
  }
  for (const recipient of recipients) {
    const copy = {
      account,
      message,
      subscriber: recipient.subscriber_id,
      ordinal: recipient.ordinal,
    };
    const token = tokens.make(copy, 'messageId');
    const count = copiesByToken.get(token) ?? 0;
    copiesByToken.delete(token);
    const name = `subscriber ${recipient.subscriber_id} (${recipient.state})`;
    if (count > 1 && recipient.attempts <= 1)
      problems.push(`${name} got the message ${count} times`);
    if (recipient.state === 'accepted' && count === 0)
      problems.push(`${name}: the relay has no message`);
    if (count > 0 && !['accepted', 'unknown', 'handing_over'].includes(recipient.state)) {
      problems.push(`${name}: the relay has the message`);
    }
  }
  if (copiesByToken.size > 0)
    problems.push(`The relay has ${copiesByToken.size} messages without a recipient`);
  return problems;
}
