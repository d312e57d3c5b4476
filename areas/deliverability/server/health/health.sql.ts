// Queries for the health of sender domains: the measured delivery results, opens and stopped
// messages, and the stored health. Also finds the day when a domain became a bulk sender.
import { type RawBuilder, sql } from 'kysely';
import { filterKinds } from '#areas/delivery/message-kinds.ts';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { DomainHealthState, HealthCounts, Volume } from './health.ts';
import type { OpenCounts } from './placement.ts';

/** Kinds of emails that health is computed from: all emails of the account except tests. */
export const MEASURED_KINDS = filterKinds(
  (state) => state.channel === 'email' && state.isCounted && state.permission !== 'none',
);
/**
 * Kinds of all emails of the account, including tests: providers count these too when they decide
 * whether a domain is a bulk sender.
 */
const ACCOUNT_KINDS = filterKinds((state) => state.channel === 'email' && !state.isOwn);
/** The last two digits of a lane are its mailbox provider. */
export const MAILBOX = sql`(lane % 100)::smallint`;

/**
 * SQL: a count of `setback_counts`, or 0 if it is negative. A setback of a single send is added to
 * the count of the mailbox provider that the recipient has at that time. If a later report replaces
 * the setback, the setback is subtracted from the count of the provider that the recipient has by
 * then. If the provider has changed in between, the second count can become negative, but must not
 * reduce the setbacks of other messages and days.
 */
export const clampToZero = (column: 'hard' | 'policy' | 'complaints') =>
  sql`greatest(${sql.ref(column)}, 0)`;

type VolumeRow = Omit<Volume, 'isReporting'> & { domain: string; mailbox: number };

export const senderDomain = (frozenSender: RawBuilder<unknown>) =>
  sql`lower(split_part(${frozenSender} #>> '{source,from,email}', '@', 2))`;

export async function readVolumes(
  db: Reader,
  accountId: number,
  { day, waitingSince }: { day: string; waitingSince: Date },
): Promise<VolumeRow[]> {
  const { rows } = await sql<VolumeRow>`
    with figures as materialized (
      select message_id, ${MAILBOX} as mailbox, sum(accepted) as accepted, sum(failed) as failed,
        0 as waiting, 0 as hard, 0 as policy, 0 as complaints
      from lane_counts where account_id = ${accountId} and day >= ${day}::date
      group by 1, 2
      union all
      select message_id, mailbox, 0, 0, 0, sum(${clampToZero('hard')}), sum(${clampToZero('policy')}),
        sum(${clampToZero('complaints')})
      from setback_counts where account_id = ${accountId} and day >= ${day}::date
      group by 1, 2
      union all
      select message_id, ${MAILBOX}, 0, 0, count(*), 0, 0, 0
      from deferrals where account_id = ${accountId} and first_at < ${waitingSince}
      group by 1, 2
    ), senders as materialized (
      select id, ${senderDomain(sql`frozen`)} as domain from messages
      where account_id = ${accountId} and id in (select message_id from figures)
        and kind = any(${MEASURED_KINDS}::text[])
    )
    select s.domain, f.mailbox, greatest(sum(f.accepted), 0)::bigint as accepted,
      greatest(sum(f.failed), 0)::bigint as failed, sum(f.waiting)::bigint as waiting,
      greatest(sum(f.hard), 0)::bigint as hard, greatest(sum(f.policy), 0)::bigint as policy,
      greatest(sum(f.complaints), 0)::bigint as complaints
    from figures f join senders s on s.id = f.message_id
    where s.domain <> ''
    group by s.domain, f.mailbox
    order by s.domain, f.mailbox`.execute(db);
  return rows;
}

/**
 * Finds the first day when one of these mailbox providers accepted at least `emails` emails from an
 * organizational domain and its subdomains. Returns null if there is none.
 */
export async function findFirstBulkDay(
  db: Reader,
  accountId: number,
  organization: string,
  { mailboxes, emails }: { mailboxes: readonly number[]; emails: number },
): Promise<string | null> {
  const { rows } = await sql<{ day: string | null }>`
    with senders as materialized (
      select id from messages
      where account_id = ${accountId} and kind = any(${ACCOUNT_KINDS}::text[])
        and right('.' || ${senderDomain(sql`frozen`)}, length(${organization}) + 1)
          = '.' || ${organization}
    )
    select min(day)::text as day from (
      select c.day from lane_counts c join senders s on s.id = c.message_id
      where c.account_id = ${accountId} and ${MAILBOX} = any(${[...mailboxes]}::smallint[])
      group by c.day, ${MAILBOX} having sum(c.accepted) >= ${emails}
    ) days`.execute(db);
  return rows[0]?.day ?? null;
}

/**
 * Counts, by sender domain, the messages that the circuit breaker paused or that are paused because
 * a relay refuses the sender or cannot be used.
 */
export async function countStopped(
  db: Reader,
  accountId: number,
): Promise<{ domain: string; count: number }[]> {
  const { rows } = await sql<{ domain: string; count: number }>`
    select ${senderDomain(sql`frozen`)} as domain, count(*) as count from messages
    where account_id = ${accountId} and state = 'paused' and kind = any(${MEASURED_KINDS}::text[])
      and state_reason in ('bounces_high', 'complaints_high', 'mails_refused', 'sender_refused')
    group by 1`.execute(db);
  return rows;
}

type OpensRow = OpenCounts & { domain: string };

/**
 * Reads the delivered emails and human opens of the newest `limit` sealed campaigns, by mailbox
 * provider. The rows of each domain begin with its earliest campaign.
 */
export async function readOpens(
  db: Reader,
  accountId: number,
  { since, limit }: { since: Date; limit: number },
): Promise<OpensRow[]> {
  const { rows } = await sql<OpensRow>`
    with past as materialized (
      select p.message_id, p.started_at, ${senderDomain(sql`m.frozen`)} as domain
      from sealed_campaigns p
      join messages m on m.account_id = ${accountId} and m.id = p.message_id
      where p.account_id = ${accountId} and p.started_at >= ${since}
      order by p.started_at desc, p.message_id desc limit ${limit}
    )
    select p.domain, p.message_id as "messageId", p.started_at as "startedAt", c.mailbox,
      sum(c.people - c.bounces)::int as delivered, sum(c.opens)::int as opens
    from past p
    join send_cells c on c.account_id = ${accountId} and c.message_id = p.message_id
    where p.domain <> ''
    group by p.domain, p.started_at, p.message_id, c.mailbox
    order by p.domain, p.started_at, p.message_id, c.mailbox`.execute(db);
  return rows;
}

export type HealthRow = DomainHealthState & {
  domain: string;
  mailbox: number;
  figures: Partial<HealthCounts>;
  measuredAt: Date;
};

export async function listHealth(db: Reader, accountId: number): Promise<HealthRow[]> {
  const rows = await db
    .selectFrom('domain_health')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('domain')
    .orderBy('mailbox')
    .execute();
  return rows.map((row) => ({
    ...{ domain: row.domain, mailbox: row.mailbox, state: row.state as DomainHealthState['state'] },
    ...{ causes: row.causes, figures: row.figures, since: row.since.toISOString() },
    measuredAt: row.measured_at,
  }));
}

export async function saveHealth(
  tx: Tx,
  accountId: number,
  rows: readonly (Omit<HealthRow, 'measuredAt'> & { at: Date })[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('domain_health')
    .values(
      rows.map((row) => ({
        ...{ account_id: accountId, domain: row.domain, mailbox: row.mailbox, state: row.state },
        causes: JSON.stringify(row.causes),
        figures: JSON.stringify(row.figures),
        since: row.since,
        measured_at: row.at,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'domain', 'mailbox']).doUpdateSet((eb) => ({
        state: eb.ref('excluded.state'),
        causes: eb.ref('excluded.causes'),
        figures: eb.ref('excluded.figures'),
        since: eb.ref('excluded.since'),
        measured_at: eb.ref('excluded.measured_at'),
      })),
    )
    .execute();
}

const { delete: deleteRow } = accountTable('domain_health', 'domain', 'mailbox');

export const deleteHealth = (tx: Tx, accountId: number, domain: string, mailbox: number) =>
  deleteRow(tx, accountId, domain, mailbox);
