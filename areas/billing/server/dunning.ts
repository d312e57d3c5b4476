// Dunning: notices and retries while a renewal fails, and the end of the plan.
import { findOwner, readAccount, saveActivePlan } from '#areas/accounts/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { isLanguage, type Language, LOCALE } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { GRACE_DAYS, RENEWAL_DAYS } from '../shared.ts';
import type { SubscriptionRow } from './billing.sql.ts';
import * as store from './billing.sql.ts';
import { billingEmailNeeded, planChanged } from './events.ts';
import { closeRenewals, type BillingOrderRow } from './orders.sql.ts';
import type { FrozenPlan } from './prices.ts';
import { formatMoney } from './format-money.ts';

const DAY_MS = 86_400_000;

export function graceEnd(subscription: Pick<SubscriptionRow, 'period_end'>): Date {
  return new Date(subscription.period_end.getTime() + GRACE_DAYS * DAY_MS);
}

/**
 * Returns when the stored card is next charged or, after the last attempt, when the grace period
 * ends.
 */
export function nextRenewalAttempt(
  subscription: Pick<SubscriptionRow, 'period_end'>,
  tries: number,
): Date {
  const day = RENEWAL_DAYS[tries];
  if (day === undefined) return graceEnd(subscription);
  return new Date(subscription.period_end.getTime() + day * DAY_MS);
}

/**
 * Handles a declined renewal: requests one email per attempt. A card that cannot be charged again,
 * such as a lost, stolen or closed one, is not retried.
 */
export async function recordRenewalDeclined(
  tx: Tx,
  order: BillingOrderRow,
  chargeKey: string,
  mayRetry: boolean,
): Promise<void> {
  const subscription = await store.lockSubscription(tx, order.account_id);
  if (!subscription || subscription.state === 'ended') return;
  await store.saveSubscription(tx, order.account_id, {
    state: 'past_due',
    ...(mayRetry ? {} : { renew_at: graceEnd(subscription), tries: RENEWAL_DAYS.length }),
    modified_at: clock.now(),
  });
  const isLast = !mayRetry || subscription.tries >= RENEWAL_DAYS.length;
  await notify(tx, order, isLast ? 'renewalLast' : 'renewalFailed', chargeKey, subscription);
}

export async function recordRenewalWaits(
  tx: Tx,
  order: BillingOrderRow,
  chargeKey: string,
): Promise<void> {
  const subscription = await store.findSubscription(tx, order.account_id);
  if (subscription) await notify(tx, order, 'renewalAction', chargeKey, subscription);
}

async function notify(
  tx: Tx,
  order: BillingOrderRow,
  kind: 'renewalFailed' | 'renewalLast' | 'renewalAction',
  chargeKey: string,
  subscription: SubscriptionRow,
): Promise<void> {
  await billingEmailNeeded.announce(tx, {
    accountId: order.account_id,
    kind,
    occasion: `${kind} ${chargeKey}`,
    values: await renewalValues(tx, order, subscription),
  });
}

/**
 * Returns the values of emails about a due renewal. The button in these emails opens the order of
 * the renewal, which can be paid with any card.
 */
export async function renewalValues(
  tx: Tx,
  order: BillingOrderRow,
  subscription: Pick<SubscriptionRow, 'account_id' | 'period_end'>,
): Promise<Record<string, string>> {
  const { accountId, language } = await findOwnerLanguage(tx, subscription);
  return {
    plan: getPlanTitle(order),
    amount: formatMoney(order.total_minor, order.currency, language),
    until: await formatDay(tx, accountId, graceEnd(subscription), language),
    token: encodeId('order', order.id),
  };
}

/** Returns the account that gets an email, and its owner's language. */
export async function findOwnerLanguage(
  tx: Tx,
  { account_id: accountId }: Pick<SubscriptionRow, 'account_id'>,
): Promise<{ accountId: number; language: Language }> {
  const language = (await findOwner(tx, accountId))?.language;
  return { accountId, language: isLanguage(language) ? language : 'eng' };
}

/** Ends the plan: the account falls back to the free plan and loses no data. */
export async function endPlan(tx: Tx, subscription: SubscriptionRow): Promise<void> {
  const { account_id: accountId } = subscription;
  const at = clock.now();
  await store.saveSubscription(tx, accountId, { state: 'ended', renew_at: null, modified_at: at });
  await closeRenewals(tx, accountId, at);
  await saveActivePlan(tx, accountId, null);
  await billingEmailNeeded.announce(tx, {
    accountId,
    kind: 'planEnded',
    occasion: `ended ${subscription.order_id} ${subscription.period_end.getTime()}`,
    values: { plan: getPlanTitle(subscription), token: '' },
  });
  await planChanged.announce(tx, { accountId, at });
}

export const getPlanTitle = ({ plan }: { plan: FrozenPlan | null }): string => plan?.title ?? '';

/** Returns a date in the account's time zone and language: `27 November 2026`. */
export async function formatDay(
  tx: Tx,
  accountId: number,
  at: Date,
  language: Language,
): Promise<string> {
  const { timezone } = await readAccount(tx, accountId);
  const timeZone = timezone ?? 'UTC';
  // Latvian inflects month names by context, so the date is numeric.
  if (language === 'lav') return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(at);
  return new Intl.DateTimeFormat(LOCALE[language], { dateStyle: 'long', timeZone }).format(at);
}
