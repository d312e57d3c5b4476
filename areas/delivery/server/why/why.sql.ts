// Queries for the delivery explanation: everything known about one subscriber's copy of one
// message.
import { sql } from 'kysely';
import { suppressionHash } from '#areas/subscribers/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { positionIn } from '../ledger/recipient-runs.sql.ts';

/** Returns the newest message of a source, such as a campaign. */
export async function findNewestMessageOfCampaign(
  db: Reader,
  accountId: number,
  kind: string,
  sourceId: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from messages where account_id = ${accountId} and kind = ${kind}
      and source_id = ${sourceId} order by id desc limit 1`.execute(db);
  return rows[0]?.id;
}

export type RecipientPosition = {
  lane: number;
  ordinal: number;
  is_begun: boolean;
  is_leased: boolean;
  /** The first and last acceptance in the copy's compacted range; null if it is not compacted. */
  first_at: Date | null;
  last_at: Date | null;
  relay: string | null;
  /** The opening of the recipient's wave. */
  opens_at: Date | null;
};

/** Finds the subscriber's position in the ledger, and whether the handoff has started. */
export async function findRecipientPosition(
  db: Reader,
  accountId: number,
  messageId: number,
  subscriberId: number,
  now: Date,
): Promise<RecipientPosition | undefined> {
  const { rows } = await sql<RecipientPosition>`
    select r.lane, r.ordinal, coalesce(l.started_to >= r.ordinal, false) as is_begun,
      coalesce(l.expires_at >= ${now} and l.owner <> '', false) as is_leased,
      p.first_at, p.last_at, p.relay, w.opens_at
    from ${positionIn(accountId, messageId, subscriberId)} r
    left join lanes w on w.account_id = ${accountId} and w.message_id = ${messageId}
      and w.lane = r.lane
    left join lateral (select * from leases l where l.account_id = ${accountId}
      and l.message_id = ${messageId} and l.lane = r.lane and l.from_ordinal <= r.ordinal
      order by l.from_ordinal desc limit 1) l on l.to_ordinal >= r.ordinal
    left join lateral (select * from compacted_ranges p where p.account_id = ${accountId}
      and p.message_id = ${messageId} and p.lane = r.lane and p.from_ordinal <= r.ordinal
      order by p.from_ordinal desc limit 1) p on p.to_ordinal >= r.ordinal`.execute(db);
  return rows[0];
}

export type AttemptRow = {
  state: 'accepted' | 'deferred' | 'failed' | 'skipped' | 'unknown';
  at: Date;
  code: string | null;
  reply: string | null;
  reason: string | null;
  relay: string | null;
};

export async function findAttempts(
  db: Reader,
  accountId: number,
  messageId: number,
  recipientPosition: { lane: number; ordinal: number },
): Promise<AttemptRow[]> {
  const { rows } = await sql<AttemptRow>`
    select state, at, code, reply, reason, relay from results
    where account_id = ${accountId} and message_id = ${messageId} and lane = ${recipientPosition.lane}
      and ordinal = ${recipientPosition.ordinal} order by attempt limit 100`.execute(db);
  return rows;
}

export type DelayedCopy = { reason: string; next_attempt_at: Date };

export async function findDelayed(
  db: Reader,
  accountId: number,
  messageId: number,
  recipientPosition: { lane: number; ordinal: number },
): Promise<DelayedCopy | undefined> {
  const { rows } = await sql<DelayedCopy>`
    select reason, next_attempt_at from deferrals
    where account_id = ${accountId} and message_id = ${messageId} and lane = ${recipientPosition.lane}
      and ordinal = ${recipientPosition.ordinal}`.execute(db);
  return rows[0];
}

export type SingleSendRow = {
  id: number;
  state: string;
  created_at: Date;
  finished_at: Date | null;
  next_attempt_at: Date;
  code: string | null;
  reply: string | null;
  reason: string | null;
  relay: string | null;
};

/** Returns the subscriber's newest single sends of the message, the oldest of them first. */
export async function listSinglesOfMessage(
  db: Reader,
  accountId: number,
  messageId: number,
  subscriberId: number,
): Promise<SingleSendRow[]> {
  const { rows } = await sql<SingleSendRow>`
    select id, state, created_at, finished_at, next_attempt_at, code, reply, reason, relay
    from single_sends where account_id = ${accountId} and subscriber_id = ${subscriberId}
      and message_id = ${messageId} order by created_at desc limit 20`.execute(db);
  return rows.reverse();
}

export type SingleLine = {
  message_id: number;
  kind: string;
  subject: string | null;
  state: string;
  created_at: Date;
  finished_at: Date | null;
};

/** Returns the subscriber's newest single sends of all messages. */
export async function listSinglesOfSubscriber(
  db: Reader,
  accountId: number,
  subscriberId: number,
  limit: number,
): Promise<SingleLine[]> {
  const { rows } = await sql<SingleLine>`
    select s.message_id, m.kind, coalesce(m.frozen #>> '{source,subject}', m.frozen #>> '{text,title}') as subject, s.state, s.created_at,
      s.finished_at
    from single_sends s
    join messages m on m.account_id = ${accountId} and m.id = s.message_id
    where s.account_id = ${accountId} and s.subscriber_id = ${subscriberId}
    order by s.created_at desc limit ${limit}`.execute(db);
  return rows;
}

export type OutcomeRow = {
  first_open_at: Date | null;
  first_human_open_at: Date | null;
  first_click_at: Date | null;
  first_human_click_at: Date | null;
  unsubscribed_at: Date | null;
  hard_bounced_at: Date | null;
  soft_bounced_at: Date | null;
  returned_at: Date | null;
  complained_at: Date | null;
};

export async function findOutcome(
  db: Reader,
  accountId: number,
  messageId: number,
  subscriberId: number,
): Promise<OutcomeRow | undefined> {
  const { rows } = await sql<OutcomeRow>`
    select first_open_at, first_human_open_at, first_click_at, first_human_click_at,
      unsubscribed_at, hard_bounced_at, soft_bounced_at, returned_at, complained_at
    from outcomes where account_id = ${accountId} and subscriber_id = ${subscriberId}
      and message_id = ${messageId}`.execute(db);
  return rows[0];
}

/**
 * Returns the bounces and complaints of the copy, with the codes and replies that reports contain.
 */
export async function readBounceDiagnostics(
  db: Reader,
  accountId: number,
  messageId: number,
  subscriberId: number,
): Promise<{ kind: string; at: Date; code: string | null; reply: string | null }[]> {
  const { rows } = await sql<{ kind: string; at: Date; code: string | null; reply: string | null }>`
    select kind, at, details->>'code' as code, details->>'reply' as reply from events
    where account_id = ${accountId} and subscriber_id = ${subscriberId}
      and message_id = ${messageId} and kind in ('hard_bounce', 'soft_bounce', 'complaint')
    order by at limit 50`.execute(db);
  return rows;
}

/** Returns when the subscriber joined these groups. */
export async function findMemberSince(
  db: Reader,
  accountId: number,
  subscriberId: number,
  groupIds: readonly number[],
): Promise<{ group_id: number; created_at: Date }[]> {
  const { rows } = await sql<{ group_id: number; created_at: Date }>`
    select group_id, created_at from group_members where account_id = ${accountId}
      and subscriber_id = ${subscriberId}
      and group_id = any(${[...groupIds]}::bigint[])`.execute(db);
  return rows;
}

export async function findSuppression(
  db: Reader,
  accountId: number,
  channel: string,
  emailKey: string,
): Promise<{ reason: string; created_at: Date } | undefined> {
  const { rows } = await sql<{ reason: string; created_at: Date }>`
    select reason, created_at from suppressions where account_id = ${accountId}
      and channel = ${channel} and address_hash = ${suppressionHash(emailKey)}`.execute(db);
  return rows[0];
}
