// SQL for the contact guard and the quiet hours of an account.
import { type Selectable, sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Tx } from '#platform/server/database/database.ts';

export type ContactGuard = Selectable<DB['contact_guards']>;

export const { find: findGuard } = accountTable('contact_guards');

export async function upsertGuard(
  tx: Tx,
  accountId: number,
  guard: Omit<ContactGuard, 'account_id'>,
): Promise<void> {
  await sql`
    insert into contact_guards (account_id, messages, days, quiet_from, quiet_until)
    values (${accountId}, ${guard.messages}, ${guard.days}, ${guard.quiet_from}, ${guard.quiet_until})
    on conflict (account_id) do update set messages = excluded.messages, days = excluded.days,
      quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until`.execute(tx);
}

/** Wakes subscribers held by the previous settings, to be evaluated again. */
export async function wakeDelayed(tx: Tx, accountId: number, at: Date): Promise<void> {
  await sql`
    update workflow_runs set wake_at = ${at}
    where account_id = ${accountId} and held_for in ('quiet_hours', 'contact_guard')
      and wake_at > ${at}`.execute(tx);
}
