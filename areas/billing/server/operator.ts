// Plans and payments of accounts as the installation's operator sees them, and the suspension of
// accounts.
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import * as store from './billing.sql.ts';
import { planChanged } from './events.ts';
import { listPaidOrderRows } from './orders.sql.ts';
import { billingSettings, isOn } from './settings.ts';

/** Returns the operators' email addresses in lower case. */
export const operators = (): readonly string[] => billingSettings().operators;

export type AccountPlan = {
  accountId: number;
  /** Null: the free plan, or billing disabled. */
  plan: string | null;
  size: number | null;
  state: 'active' | 'past_due' | 'ended' | null;
  validTo: Date | null;
  suspendedAt: Date | null;
  suspendedReason: string | null;
};

/** Reads plan and suspension of these accounts with two statements. */
export async function readAccountPlans(
  db: Reader,
  accountIds: readonly number[],
): Promise<Map<number, AccountPlan>> {
  const [plans, accounts] = await Promise.all([
    store.listSubscriptions(db, accountIds),
    store.listBillingAccounts(db, accountIds),
  ]);
  return new Map(
    accountIds.map((accountId) => {
      const subscription = plans.find((plan) => plan.account_id === accountId);
      const billing = accounts.find((account) => account.account_id === accountId);
      const active = subscription && subscription.state !== 'ended' ? subscription : undefined;
      const accountPlan: AccountPlan = {
        accountId,
        plan: active ? active.plan.title : null,
        size: active?.size ?? null,
        state: (subscription?.state ?? null) as AccountPlan['state'],
        validTo: active?.period_end ?? null,
        suspendedAt: billing?.suspended_at ?? null,
        suspendedReason: billing?.suspended_reason ?? null,
      };
      return [accountId, accountPlan];
    }),
  );
}

/**
 * Suspends an account: its campaigns and workflows stop, and purchases are refused. A repeated call
 * changes only the reason.
 */
export async function suspendAccount(tx: Tx, accountId: number, reason: string): Promise<void> {
  const { suspended_at } = await store.lockBilling(tx, accountId);
  const at = clock.now();
  await store.saveBilling(tx, accountId, {
    suspended_at: suspended_at ?? at,
    suspended_reason: reason,
  });
  await planChanged.announce(tx, { accountId, at });
}

/** Ends the suspension and resumes campaigns and workflows. */
export async function restoreAccount(tx: Tx, accountId: number): Promise<void> {
  await store.lockBilling(tx, accountId);
  await store.saveBilling(tx, accountId, { suspended_at: null, suspended_reason: null });
  await planChanged.announce(tx, { accountId, at: clock.now() });
}

/**
 * Lists the newest paid orders of an account, including refunded ones; returns none if billing is
 * disabled.
 */
export async function listPaidOrders(db: Reader, accountId: number) {
  if (!isOn()) return [];
  return (await listPaidOrderRows(db, accountId, 100)).map((order) => ({
    id: order.id,
    kind: order.kind as 'plan' | 'sms_credit',
    plan: order.plan?.title ?? null,
    total: order.total_minor,
    currency: order.currency as 'usd' | 'eur',
    state: order.state as 'paid' | 'refunded',
    paidAt: order.paid_at,
  }));
}
