// Queries for setbacks (bounces, complaints and unsubscribes) by mailbox provider and day.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';

/** SQL: whether a policy or the sending domain caused the soft bounce in `events`. */
export const IS_POLICY = sql`coalesce(details->>'cause' in ('policy', 'domain'),
  details->>'code' ~ '^[45]\\.7\\.', false)`;

export type Setback = 'hard' | 'policy' | 'other' | 'complaints' | 'unsubscribes';

export type SetbackChange = {
  messageId: number;
  subscriberId: number;
  at: Date;
  setback: Setback;
  delta: 1 | -1;
};

/**
 * Adds to the counts of mailbox providers. If `mailbox` is null, the subscriber's provider is used,
 * or `other` for deleted subscribers. The caller has locked the messages' rows of
 * engagement_counts.
 */
export async function addToSetbacks(
  tx: Tx,
  accountId: number,
  changes: readonly (SetbackChange & { mailbox: number | null })[],
): Promise<void> {
  if (changes.length === 0) return;
  const column = <K extends keyof (typeof changes)[number]>(key: K) =>
    changes.map((change) => change[key]);
  const sumOf = (setback: Setback) =>
    sql`coalesce(sum(c.by) filter (where c.setback = ${setback}), 0)`;
  await sql`
    insert into setback_counts
      (account_id, message_id, mailbox, day, hard, policy, other, complaints, unsubscribes)
    select ${accountId}::bigint, c.message_id, coalesce(c.mailbox, s.mailbox, 0),
      (c.at at time zone 'UTC')::date, ${sumOf('hard')}, ${sumOf('policy')}, ${sumOf('other')},
      ${sumOf('complaints')}, ${sumOf('unsubscribes')}
    from unnest(${column('messageId')}::bigint[], ${column('subscriberId')}::bigint[],
      ${column('at')}::timestamptz[], ${column('setback')}::text[], ${column('delta')}::int[],
      ${column('mailbox')}::smallint[])
      c(message_id, subscriber_id, at, setback, by, mailbox)
    left join subscribers s on s.account_id = ${accountId} and s.id = c.subscriber_id
      and s.id = any(${column('subscriberId')}::bigint[])
    group by 2, 3, 4
    order by 2, 3, 4
    on conflict (account_id, message_id, mailbox, day) do update set
      hard = setback_counts.hard + excluded.hard,
      policy = setback_counts.policy + excluded.policy,
      other = setback_counts.other + excluded.other,
      complaints = setback_counts.complaints + excluded.complaints,
      unsubscribes = setback_counts.unsubscribes + excluded.unsubscribes`.execute(tx);
}

/**
 * Returns the mailbox providers that reported complaints about the account since the day of an
 * instant.
 */
export async function listReportingMailboxes(
  db: Reader,
  accountId: number,
  since: Date,
): Promise<Set<number>> {
  const { rows } = await sql<{ mailbox: number }>`
    select distinct mailbox from setback_counts
    where account_id = ${accountId} and complaints > 0
      and day >= (${since}::timestamptz at time zone 'UTC')::date`.execute(db);
  return new Set(rows.map((row) => row.mailbox));
}
