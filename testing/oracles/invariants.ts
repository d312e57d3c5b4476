// Invariant I of the ledger: states sum to the audience and to the counters; messages that the
// relay has are accepted or unknown, accepted ones are at the relay; no recipient gets a message
// twice.
import { sql } from 'kysely';
import { readDelivery } from '#areas/delivery/server/ledger/index.ts';
import { installationTokens } from '#areas/tracking/server/index.ts';
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

/** Each recipient's one state, derived from the stored rows only. */
export async function recipientsOf(
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

export type Checked = { states: Record<string, number>; problems: string[] };

/** @param log the Message-IDs (without brackets) of all messages that the relay accepted */
export async function checkInvariant(
  db: Db,
  accountId: number,
  messageId: number,
  log: readonly string[],
): Promise<Checked> {
  // Rows and counters of one snapshot, since a sender may be running.
  const [recipients, [delivery]] = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => [
      await recipientsOf(tx, accountId, messageId),
      await readDelivery(tx, accountId, [messageId]),
    ]);
  const problems: string[] = [];
  const states: Record<string, number> = {};
  for (const recipient of recipients) states[recipient.state] = (states[recipient.state] ?? 0) + 1;
  if (!delivery) return { states, problems: ['There is no such message'] };
  if (delivery.audience !== recipients.length) {
    problems.push(
      `The audience is told as ${delivery.audience}, but has ${recipients.length} rows`,
    );
  }
  for (const [state, count] of Object.entries(delivery.counts)) {
    if (count !== (states[state] ?? 0)) {
      problems.push(`${state} is counted as ${count}, but holds for ${states[state] ?? 0}`);
    }
  }
  problems.push(...compareWithLog(recipients, accountId, messageId, log));
  return { states, problems };
}

function compareWithLog(
  recipients: readonly RecipientFact[],
  account: number,
  message: number,
  log: readonly string[],
): string[] {
  const tokens = installationTokens();
  const problems: string[] = [];
  const had = new Map<string, number>();
  for (const id of log) {
    const token = id.split('@')[0] as string;
    if (tokens.read(token, 'messageId')?.message !== message) continue;
    had.set(token, (had.get(token) ?? 0) + 1);
  }
  for (const recipient of recipients) {
    const facts = {
      account,
      message,
      subscriber: recipient.subscriber_id,
      ordinal: recipient.ordinal,
    };
    const token = tokens.make(facts, 'messageId');
    const count = had.get(token) ?? 0;
    had.delete(token);
    const who = `subscriber ${recipient.subscriber_id} (${recipient.state})`;
    if (count > 1 && recipient.attempts <= 1) problems.push(`${who} has it ${count} times`);
    if (recipient.state === 'accepted' && count === 0)
      problems.push(`${who}: the relay has nothing`);
    if (count > 0 && !['accepted', 'unknown', 'handing_over'].includes(recipient.state)) {
      problems.push(`${who}: the relay has it`);
    }
  }
  if (had.size > 0) problems.push(`The relay has ${had.size} copies for nobody`);
  return problems;
}
