// The demo account: finds its owner, writes the settings, plan and owner, ends an interrupted run,
// and updates the statistics of the tables.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';
import type { DemoHistory } from './history.sql.ts';

export async function findDemoOwner(tx: Tx, key: string): Promise<{ id: number } | undefined> {
  return tx.selectFrom('users').select('id').where('email_key', '=', key).executeTakeFirst();
}

const createdBefore = (now: Date) => new Date(now.getTime() - 735 * 86_400_000);

/** Sets the account's details and makes it two years old, with onboarding completed. */
export async function settleAccount(
  tx: Tx,
  history: Pick<DemoHistory, 'accountId' | 'now'>,
  account: Record<string, string>,
): Promise<void> {
  const createdAt = createdBefore(history.now);
  await tx
    .updateTable('accounts')
    .set({
      ...account,
      created_at: createdAt,
      introduce_completed_at: createdAt,
      registration_completed_at: createdAt,
      subscriber_added_at: createdAt,
      campaign_created_at: createdAt,
      email_sent_at: createdAt,
      report_viewed_at: createdAt,
    })
    .where('id', '=', history.accountId)
    .execute();
}

/** Inserts a plan large enough for the demo's subscribers, so that its campaigns can be sent. */
export async function insertPlan(
  tx: Tx,
  { accountId, now }: { accountId: number; now: Date },
): Promise<void> {
  const plan = { title: 'Enterprise', features: ['unlimited_emails'], emails_per_subscriber: null };
  await tx
    .insertInto('subscriptions')
    .values({
      account_id: accountId,
      order_id: 0,
      plan_key: 'enterprise',
      plan: JSON.stringify(plan),
      size: 25_000,
      months: 12,
      currency: 'usd',
      paid_net_minor: 0,
      period_start: now,
      period_end: new Date(now.getTime() + 365 * 86_400_000),
      is_cancelled: true,
      modified_at: now,
    })
    .execute();
}

/** Sets the owner's name and makes the user as old as the account. */
export async function settleOwner(
  tx: Tx,
  { userId, now }: Pick<DemoHistory, 'userId' | 'now'>,
): Promise<void> {
  const createdAt = createdBefore(now);
  await tx
    .updateTable('users')
    .set({
      name: 'Aoife',
      surname: 'Keane',
      tour: 2,
      email_verified_at: createdAt,
      created_at: createdAt,
    })
    .where('id', '=', userId)
    .execute();
}

export async function setPassword(tx: Tx, userId: number, hash: string, at: Date): Promise<void> {
  await tx
    .updateTable('users')
    .set({ password_hash: hash, modified_at: at })
    .where('id', '=', userId)
    .execute();
}

/**
 * Makes the backend check its client connection every few seconds, so that the transaction of a
 * killed run ends and does not block the next run.
 */
export async function endWithItsClient(tx: Tx): Promise<void> {
  await sql`set local client_connection_check_interval = '3s'`.execute(tx);
}

/** Terminates the backend of an interrupted run; executed on a separate connection. */
export const END_DEMO = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = 'sendloom demo' and datname = current_database() and pid <> pg_backend_pid()`;

/**
 * Analyzes the tables within the transaction. Without statistics, PostgreSQL estimated zero rows
 * for 20,000 new subscribers, and scanned them 300,000 times on a used instance.
 */
export async function analyzeDraft(tx: Tx, tables: readonly string[]): Promise<void> {
  await sql`analyze ${sql.join(tables.map((name) => sql.table(name)))}`.execute(tx);
}

export async function analyze(tx: Tx): Promise<void> {
  await sql`analyze subscribers, group_members, recipients, results, events, outcomes, activity,
    orders, order_products, carts, shop_visits, shoppers`.execute(tx);
}
