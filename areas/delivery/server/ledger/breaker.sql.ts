// Queries for the circuit breaker: the totals of messages with bounces and complaints, the baseline
// totals, and the open messages that it checks.
import { sql } from 'kysely';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Db, Tx } from '#platform/server/database/database.ts';
import { findLead, findMessagesOfLead } from '../groups/groups.sql.ts';
import { readAcceptedByMailbox } from './lane-counts.sql.ts';
import type { MessageKey, MessagePage } from './open-messages.sql.ts';
import type { MessageKind } from '../../message-kinds.ts';

export type BreakerTotals = {
  accepted: number;
  /** Copies that were accepted or permanently refused. */
  handed: number;
  hard_bounces: number;
  /** Recipients with a refusal or bounce for a reason other than the address, each counted once. */
  soft_bounces: number;
  complaints: number;
  /** Accepted copies by mailbox provider; missing in older rows. */
  accepted_by?: Record<string, number>;
};

/** Totals as stored; older rows lack soft bounces. */
type SavedTotals = Omit<BreakerTotals, 'soft_bounces'> & { soft_bounces?: number; at?: string };

export type FoundTotals = {
  kind: MessageKind;
  source_id: number | null;
  totals: BreakerTotals;
  /**
   * Baseline totals for the breaker: the totals at the owner's last resume, lowered if copies were
   * retried since.
   */
  from: (BreakerTotals & { at?: string }) | undefined;
};

export async function findTotals(
  tx: Tx,
  accountId: number,
  messageId: number,
): Promise<FoundTotals | undefined> {
  const { rows } = await sql<{
    kind: MessageKind;
    source_id: number | null;
    breaker_from: SavedTotals | null;
    accepted: number;
    failed: number;
    hard_bounces: number | null;
    soft_bounces: number | null;
    complaints: number | null;
    accepted_by: Record<string, number> | null;
  }>`
    select m.kind, m.source_id, m.breaker_from, c.accepted, c.failed, e.hard_bounces,
      e.soft_bounces, e.complaints, ${readAcceptedByMailbox(accountId)} as accepted_by
    from messages m
    join delivery_counts c on c.account_id = ${accountId} and c.message_id = m.id
    left join engagement_counts e on e.account_id = ${accountId} and e.message_id = m.id
    where m.account_id = ${accountId} and m.id = ${messageId} and m.frozen_hash is null`.execute(
    tx,
  );
  const row = rows[0];
  if (!row) return undefined;
  const totals = {
    accepted: row.accepted,
    handed: row.accepted + row.failed,
    hard_bounces: row.hard_bounces ?? 0,
    soft_bounces: row.soft_bounces ?? 0,
    complaints: row.complaints ?? 0,
    accepted_by: row.accepted_by ?? {},
  };
  const { kind, source_id, breaker_from: from } = row;
  return { kind, source_id, totals, from: from ? withSoftBounces(from) : undefined };
}

/**
 * Returns the totals of the whole group of a message: `totals` and `from` are sums over its
 * messages. With eight variants, limits per message would be reached eight times later.
 */
export async function findGroupTotals(
  tx: Tx,
  accountId: number,
  messageId: number,
): Promise<(FoundTotals & { messageIds: number[] }) | undefined> {
  const lead = await findLead(tx, accountId, messageId);
  const messageIds = await findMessagesOfLead(tx, accountId, lead);
  const memberTotals = [];
  for (const id of messageIds) memberTotals.push(await findTotals(tx, accountId, id));
  const [first, ...others] = memberTotals.flatMap((totals) => totals ?? []);
  if (!first) return undefined;
  const add = (a: BreakerTotals, b: BreakerTotals): BreakerTotals => ({
    accepted: a.accepted + b.accepted,
    handed: a.handed + b.handed,
    hard_bounces: a.hard_bounces + b.hard_bounces,
    soft_bounces: a.soft_bounces + b.soft_bounces,
    complaints: a.complaints + b.complaints,
    ...(a.accepted_by && b.accepted_by && { accepted_by: addTo(a.accepted_by, b.accepted_by) }),
  });
  const groupTotals = others.reduce((total, { totals, from }) => {
    const combined = total.from && from ? add(total.from, from) : (total.from ?? from);
    return { ...total, totals: add(total.totals, totals), from: combined };
  }, first);
  return { ...groupTotals, messageIds };
}

function addTo(a: Record<string, number>, b: Record<string, number>) {
  const counts = { ...a };
  for (const [mailbox, count] of Object.entries(b)) {
    counts[mailbox] = (counts[mailbox] ?? 0) + count;
  }
  return counts;
}

/** Replaces missing soft bounces by an estimate: the refusals that were not hard bounces. */
function withSoftBounces(from: SavedTotals): BreakerTotals & { at?: string } {
  const refusedCount = Math.max(0, from.handed - from.accepted - from.hard_bounces);
  return { ...from, soft_bounces: from.soft_bounces ?? refusedCount };
}

export type SetBack = {
  subscriber_id: number;
  /** Null for a refusal at the handoff; its cause is derived from its code and reply. */
  cause: string | null;
  code: string | null;
  reply: string | null;
};

/** Returns the newest soft bounces of messages, from refusals and bounce reports. */
export async function listNewestSoftBounces(
  tx: Tx,
  accountId: number,
  messageIds: readonly number[],
  limit: number,
): Promise<SetBack[]> {
  const { rows } = await sql<SetBack>`
    select subscriber_id, details->>'cause' as cause, details->>'code' as code,
      details->>'reply' as reply
    from events where account_id = ${accountId}
      and message_id = any(${[...messageIds]}::bigint[])
      and kind = 'soft_bounce' order by at desc limit ${limit}`.execute(tx);
  return rows;
}

export async function saveBreakerFrom(
  tx: Tx,
  accountId: number,
  messageId: number,
  totals: BreakerTotals,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('messages')
    .set({ breaker_from: JSON.stringify({ ...totals, at }) })
    .where('account_id', '=', accountId)
    .where('id', '=', messageId)
    .execute();
}

/**
 * Returns a page of the open messages with bounces or complaints, across all accounts, using the
 * index of open messages.
 */
export async function listOpenMessagesWithSetbacks(
  db: Db,
  { after, size }: MessagePage,
): Promise<MessageKey[]> {
  return acrossAccounts(
    db,
    (scope) => sql<MessageKey>`
      select m.account_id, m.id from messages m
      join engagement_counts e on e.account_id = m.account_id and e.message_id = m.id
      where m.state in ('preparing', 'sending', 'waiting') and m.frozen_hash is null
        and (e.hard_bounces > 0 or e.soft_bounces > 0 or e.complaints > 0)
        and (m.account_id, m.id) > (${after.account_id}::bigint, ${after.id}::bigint)
        and ${scope(sql`m.account_id`)} and ${scope(sql`e.account_id`)}
      order by m.account_id, m.id limit ${size}`,
  );
}
