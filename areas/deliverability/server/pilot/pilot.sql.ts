// Queries for the autopilot: the results that it decides on, its state at each mailbox provider,
// its moves, and the campaigns that they affect.
import { type Selectable, sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { PilotMode } from '../../pilot-shared.ts';
import { MEASURED_KINDS, MAILBOX, senderDomain, clampToZero } from '../health/health.sql.ts';
import type { PilotReading, ResultSums } from './readings.ts';

export type PilotLocation = { domain: string; mailbox: number };
export type PilotRow = Selectable<DB['pilots']>;
export type MoveRow = Selectable<DB['pilot_moves']>;

type SumsRow = PilotLocation & ResultSums & { day: string };

/**
 * Reads the account's delivery results since a day, by sender domain, mailbox provider and day.
 * Test emails are excluded.
 */
export async function readSums(db: Reader, accountId: number, day: string): Promise<SumsRow[]> {
  const { rows } = await sql<SumsRow>`
    with figures as materialized (
      select message_id, ${MAILBOX} as mailbox, day, sum(accepted) as accepted,
        sum(failed) as failed, sum(throttled) as throttled, 0 as policy, 0 as complaints
      from lane_counts where account_id = ${accountId} and day >= ${day}::date
      group by 1, 2, 3
      union all
      select message_id, mailbox, day, 0, 0, 0, ${clampToZero('policy')}, ${clampToZero('complaints')}
      from setback_counts where account_id = ${accountId} and day >= ${day}::date
    ), senders as materialized (
      select id, ${senderDomain(sql`frozen`)} as domain from messages
      where account_id = ${accountId} and id in (select message_id from figures)
        and kind = any(${MEASURED_KINDS}::text[])
    )
    select s.domain, f.mailbox, f.day::text as day,
      greatest(sum(f.accepted), 0)::bigint as accepted,
      greatest(sum(f.failed), 0)::bigint as failed,
      greatest(sum(f.throttled), 0)::bigint as throttled,
      greatest(sum(f.policy), 0)::bigint as policy,
      greatest(sum(f.complaints), 0)::bigint as complaints
    from figures f join senders s on s.id = f.message_id
    where s.domain <> '' and f.mailbox > 0
    group by s.domain, f.mailbox, f.day
    order by s.domain, f.mailbox, f.day`.execute(db);
  return rows;
}

export function listPilots(db: Reader, accountId: number): Promise<PilotRow[]> {
  return db
    .selectFrom('pilots')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('domain')
    .orderBy('mailbox')
    .execute();
}

/**
 * Locks the autopilot's state at a mailbox provider; waits while another process makes a move.
 * Inserts the state if there is none.
 */
export async function lockPilot(
  tx: Tx,
  accountId: number,
  { domain, mailbox }: PilotLocation,
): Promise<PilotRow> {
  await tx
    .insertInto('pilots')
    .values({ account_id: accountId, domain, mailbox })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return tx
    .selectFrom('pilots')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('domain', '=', domain)
    .where('mailbox', '=', mailbox)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

type PilotChange = {
  mode?: PilotMode;
  per_hour?: number | null;
  ends_at_per_hour?: number | null;
  is_paused?: boolean;
  is_engaged_only?: boolean;
  opens_at?: Date;
  reported_campaigns?: number[];
  moved_at?: Date;
  held_until?: Date | null;
  readings?: readonly PilotReading[];
};

export async function updatePilot(
  tx: Tx,
  accountId: number,
  { domain, mailbox }: PilotLocation,
  { readings, ...change }: PilotChange,
): Promise<void> {
  await tx
    .updateTable('pilots')
    .set({ ...change, ...(readings && { readings: JSON.stringify(readings) }) })
    .where('account_id', '=', accountId)
    .where('domain', '=', domain)
    .where('mailbox', '=', mailbox)
    .execute();
}

export const { find: findMove, update: updateMove } = accountTable('pilot_moves', 'id');

export async function insertMove(
  tx: Tx,
  accountId: number,
  move: Omit<MoveRow, 'account_id' | 'id' | 'decided_at' | 'decided_by'>,
): Promise<number> {
  const { id } = await tx
    .insertInto('pilot_moves')
    .values({ account_id: accountId, ...move })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Lists the moves since an instant, newest first. */
export function listMovesSince(
  db: Reader,
  accountId: number,
  since: Date,
  max: number,
): Promise<MoveRow[]> {
  return db
    .selectFrom('pilot_moves')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('at', '>=', since)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(max)
    .execute();
}

type WaitingRow = { campaignId: number; messageId: number; waiting: number };

/**
 * Lists the campaigns from a sender domain that have waited since before an instant: their sending
 * began before it, and they have recipients left at a mailbox provider.
 */
export async function listWaitingCampaigns(
  db: Reader,
  accountId: number,
  { domain, mailbox }: PilotLocation,
  { now, before }: { now: Date; before: Date },
): Promise<WaitingRow[]> {
  const { rows } = await sql<WaitingRow>`
    select m.source_id as "campaignId", min(m.id) as "messageId",
      sum(l.written - l.leased)::bigint as waiting
    from messages m
    join lanes l on l.account_id = ${accountId} and l.message_id = m.id and l.leased < l.written
      and ${MAILBOX} = ${mailbox} and (l.opens_at is null or l.opens_at < ${before})
      and (l.closes_at is null or l.closes_at > ${now})
    where m.account_id = ${accountId} and m.kind = 'campaign' and m.source_id is not null
      and m.state in ('preparing', 'sending', 'waiting') and m.frozen_hash is null
      and m.state_reason is distinct from 'warm_up'
      and coalesce(m.first_handed_over_at, m.created_at) < ${before}
      and ${senderDomain(sql`m.frozen`)} = ${domain}
    group by m.source_id
    order by m.source_id`.execute(db);
  return rows;
}

type SendingRow = { domain: string; mailbox: number; begunAt: Date; finishedAt: Date | null };

/**
 * Lists the sender domain, start and end of one campaign for each mailbox provider of its
 * recipients.
 */
export async function listSendingTimes(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<SendingRow[]> {
  const ids = sql`any(${[...messageIds]}::bigint[])`;
  const { rows } = await sql<SendingRow>`
    with sent as materialized (
      select min(${senderDomain(sql`frozen`)}) as domain, min(created_at) as begun_at,
        case when bool_and(finished_at is not null) then max(finished_at) end as finished_at
      from messages where account_id = ${accountId} and id = ${ids}
    )
    select s.domain, r.mailbox, s.begun_at as "begunAt", s.finished_at as "finishedAt"
    from sent s cross join (
      select ${MAILBOX} as mailbox from lanes
      where account_id = ${accountId} and message_id = ${ids}
      union
      select ${MAILBOX} from lane_counts
      where account_id = ${accountId} and message_id = ${ids}
    ) r
    where s.domain <> ''
    order by r.mailbox`.execute(db);
  return rows;
}

/** A move that took effect, and when it was undone, if it was. */
export type AppliedMove = Pick<
  MoveRow,
  'mailbox' | 'move' | 'cause' | 'count' | 'of' | 'to_per_hour'
> & { appliedAt: Date; undoneAt: Date | null };

/** Lists a domain's moves that took effect, oldest first. */
export async function listAppliedMoves(
  db: Reader,
  accountId: number,
  domain: string,
  { since, until, max }: { since: Date; until: Date; max: number },
): Promise<AppliedMove[]> {
  const { rows } = await sql<AppliedMove>`
    select mailbox, move, cause, count, of, to_per_hour, applied_at as "appliedAt",
      case when state = 'undone' then decided_at end as "undoneAt"
    from pilot_moves
    where account_id = ${accountId} and domain = ${domain}
      and applied_at between ${since} and ${until}
    order by applied_at, id limit ${max}`.execute(db);
  return rows;
}

/**
 * Ends the domain's earlier suggestions at the provider. Called for a newer suggestion and when the
 * mode changes.
 */
export async function expireSuggestions(
  tx: Tx,
  accountId: number,
  { domain, mailbox }: PilotLocation,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('pilot_moves')
    .set({ state: 'expired', decided_at: at })
    .where('account_id', '=', accountId)
    .where('domain', '=', domain)
    .where('mailbox', '=', mailbox)
    .where('state', '=', 'suggested')
    .execute();
}

export async function deleteOldMoves(tx: Tx, accountId: number, before: Date): Promise<void> {
  await tx
    .deleteFrom('pilot_moves')
    .where('account_id', '=', accountId)
    .where('at', '<', before)
    .execute();
}
