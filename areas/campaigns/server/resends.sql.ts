// Queries for resends, which are set up on a campaign and become due some hours after its last copy
// was sent.
import { type Selectable, sql } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';

export type ResendRow = Selectable<DB['campaign_resends']> & {
  /** The campaign that the resend created; null before that, and after its deletion. */
  child_id: number | null;
};

export async function readResends(
  db: Reader,
  accountId: number,
  campaignIds: readonly number[],
): Promise<ResendRow[]> {
  const { rows } = await sql<ResendRow>`
    select r.*, c.id as child_id from campaign_resends r
    left join campaigns c on c.account_id = ${accountId} and c.resend_of = r.campaign_id
      and c.deleted_at is null
    where r.account_id = ${accountId} and r.campaign_id = any(${[...campaignIds]}::bigint[])`.execute(
    db,
  );
  return rows;
}

/**
 * Inserts a resend, or changes the subject and time of an existing one, which then waits (again);
 * returns false if it has started.
 */
export async function saveResend(
  tx: Tx,
  accountId: number,
  campaignId: number,
  resend: { subject: string; hours: number; dueAt: Date | null },
  at: Date,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into campaign_resends as r
      (account_id, campaign_id, subject, delay_hours, due_at, created_at, modified_at)
    values (${accountId}, ${campaignId}, ${resend.subject}, ${resend.hours}, ${resend.dueAt},
      ${at}, ${at})
    on conflict (account_id, campaign_id) do update set subject = excluded.subject,
      delay_hours = excluded.delay_hours, due_at = excluded.due_at, state = 'waiting',
      reason = null, failing_since = null, modified_at = excluded.modified_at
    where r.state <> 'started'`.execute(tx);
  return Number(numAffectedRows ?? 0) === 1;
}

/** Ends a waiting resend with this state; returns false if there was none. */
export async function endResend(
  tx: Tx,
  accountId: number,
  campaignId: number,
  outcome: { state: 'cancelled' | 'started' | 'failed'; reason?: string },
  at: Date,
): Promise<boolean> {
  const row = await tx
    .updateTable('campaign_resends')
    .set({ state: outcome.state, reason: outcome.reason ?? null, modified_at: at })
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', campaignId)
    .where('state', '=', 'waiting')
    .returning('campaign_id')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Defers a waiting resend; screens show the new time. `failingSince` is the time of the first of
 * several failures in a row; null if the resend is deferred for another reason.
 */
export async function deferResend(
  tx: Tx,
  accountId: number,
  campaignId: number,
  dueAt: Date,
  failingSince: Date | null = null,
): Promise<void> {
  await tx
    .updateTable('campaign_resends')
    .set({ due_at: dueAt, failing_since: failingSince })
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', campaignId)
    .where('state', '=', 'waiting')
    .execute();
}

/**
 * Sets the due time of a waiting resend when its campaign begins to be sent. It is an estimate,
 * because the delay counts from the last copy.
 */
export async function startResend(
  tx: Tx,
  accountId: number,
  campaignId: number,
  sentAt: Date,
): Promise<void> {
  await sql`
    with resend as materialized (
      select ${sentAt}::timestamptz + make_interval(hours => delay_hours) as due_at
      from campaign_resends where account_id = ${accountId} and campaign_id = ${campaignId}
        and state = 'waiting'
    )
    update campaign_resends r set due_at = resend.due_at from resend
    where r.account_id = ${accountId} and r.campaign_id = ${campaignId}`.execute(tx);
}

/** Finds accounts with due resends, across all accounts and without a lock. */
export async function listAccountsWithDueResends(db: Db, now: Date): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (withinNodes) => sql<{ account_id: number }>`
      select distinct account_id from campaign_resends
      where state = 'waiting' and due_at <= ${now} and ${withinNodes(sql`account_id`)} limit 1000`,
  );
  return rows.map((row) => row.account_id);
}

/** Locks one due resend of the account; rows locked by another process are skipped. */
export function claimDueResend(tx: Tx, accountId: number, now: Date) {
  return tx
    .selectFrom('campaign_resends')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('state', '=', 'waiting')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
}
