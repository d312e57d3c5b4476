// The plan of an account: limits, usage, and the next change.
import { readAccount } from '#areas/accounts/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import type { Billing, CurrentPlan, PlanCard, UsageEntry } from '../contract.ts';
import { type Currency, DEFAULT_CURRENCY, type Duration } from '../shared.ts';
import * as store from './billing.sql.ts';
import { computeEmailLimit, findPlanSize } from './catalog.ts';
import { findFixedCurrency, toMicroPrices } from './credit.ts';
import { findUnpaidRenewal } from './orders.sql.ts';
import { choosePlan, isRunning } from './orders.ts';
import { billingSettings, isOn, requireGateway } from './settings.ts';
import { readVatNumber } from './tax.ts';
import { type PlanFacts, readPlan, readUsage } from './usage.ts';

export async function readBilling(tx: Tx, accountId: number): Promise<Billing> {
  const { mode, catalog } = billingSettings();
  const account = await readAccount(tx, accountId);
  const plan = await readPlan(tx, account, clock.now());
  const usage = await readUsage(tx, accountId, plan.month.start, 'all');
  const billing = await store.findBilling(tx, accountId);
  const currency = await findFixedCurrency(tx, accountId);
  const bar = (used: number, limit: number | null) => ({ used, limit });
  return {
    is_on: isOn(),
    is_test: mode === 'test',
    is_enforced: isOn() && catalog.limits === 'enforced',
    plan: await presentPlan(tx, accountId, plan),
    currency: currency ?? null,
    month: { from: plan.month.start.toISOString(), to: plan.month.end.toISOString() },
    usage: {
      subscribers: bar(usage.subscribers, plan.subscribers),
      people_emailed: bar(usage.people_emailed, null),
      emails: bar(usage.emails, plan.emails),
      people_texted: bar(usage.people_texted, null),
      texts: bar(usage.texts, null),
    },
    sms_credit: isOn()
      ? {
          balance: billing?.balance_micros ?? 0,
          held: billing?.held_micros ?? 0,
          currency: currency ?? DEFAULT_CURRENCY,
        }
      : null,
    is_suspended: Boolean(billing?.suspended_at),
  };
}

async function presentPlan(db: Reader, accountId: number, plan: PlanFacts): Promise<CurrentPlan> {
  const { subscription } = plan;
  const unpaid =
    plan.state === 'past_due' && subscription
      ? await findUnpaidRenewal(db, accountId, subscription.period_end)
      : undefined;
  const active = plan.state === 'active' || plan.state === 'past_due' ? subscription : undefined;
  return {
    plan_id: plan.key,
    title: plan.title,
    state: plan.state,
    size: active?.size ?? null,
    duration: (active?.months ?? null) as Duration | null,
    currency: (active?.currency ?? null) as Currency | null,
    valid_to: active?.period_end.toISOString() ?? null,
    next: active ? presentNext(active) : null,
    features: [...plan.features],
    renewal_order: unpaid === undefined ? null : encodeId('order', unpaid),
  };
}

function presentNext(subscription: store.SubscriptionRow): CurrentPlan['next'] {
  const { catalog } = billingSettings();
  if (subscription.is_cancelled) return { plan_id: null, title: catalog.free.title, size: null };
  const { next } = subscription;
  if (!next) return null;
  const size = findPlanSize(catalog, next.plan_key, next.size);
  return { plan_id: next.plan_key, title: size?.plan.title ?? next.plan_key, size: next.size };
}

/** Lists the free plan and the plans on sale, as the plan cards show them. */
export function listPlans(): {
  free: {
    title: string;
    subscribers: number | null;
    emails: number | null;
    features: PlanCard['features'];
  };
  plans: PlanCard[];
  sms_prices: Record<string, number>;
} {
  const { catalog } = billingSettings();
  const { free } = catalog;
  return {
    free: {
      title: free.title,
      subscribers: free.subscribers,
      emails: free.emails,
      features: free.features,
    },
    plans: isOn()
      ? catalog.plans.map((plan) => ({
          id: plan.key,
          title: plan.title,
          features: plan.features,
          emails_per_subscriber: plan.emails_per_subscriber,
          sizes: plan.sizes.map((size) => ({
            ...size,
            emails: computeEmailLimit(plan, size.subscribers),
          })),
        }))
      : [],
    sms_prices: toMicroPrices(catalog),
  };
}

/**
 * Sets the plan after the current period: smaller, free, or unchanged (the same plan again).
 * Larger plans are bought immediately instead.
 * @throws AppError no_plan, plan_unknown, size_unknown, not_smaller
 */
export async function changeNextPlan(
  tx: Tx,
  accountId: number,
  next: { plan_id: string | null; size?: number | undefined; duration?: Duration | undefined },
): Promise<CurrentPlan> {
  requireGateway();
  const now = clock.now();
  const subscription = await store.lockSubscription(tx, accountId);
  if (!isRunning(subscription, now)) throw new AppError('no_plan');
  if (next.plan_id === null) {
    await save(tx, accountId, null, true, now);
  } else {
    const size = next.size ?? subscription.size;
    const months = next.duration ?? (subscription.months as Duration);
    choosePlan(next.plan_id, size);
    const plans = billingSettings().catalog.plans.map((plan) => plan.key);
    const isAbove = plans.indexOf(next.plan_id) > plans.indexOf(subscription.plan_key);
    if (isAbove || (next.plan_id === subscription.plan_key && size > subscription.size)) {
      throw new AppError('not_smaller', { errors: { plan_id: ['billing:errors.not_smaller'] } });
    }
    const isSame =
      next.plan_id === subscription.plan_key &&
      size === subscription.size &&
      months === subscription.months;
    const nextPlan = isSame ? null : JSON.stringify({ plan_key: next.plan_id, size, months });
    await save(tx, accountId, nextPlan, false, now);
  }
  return presentPlan(tx, accountId, await readPlan(tx, await readAccount(tx, accountId), now));
}

function save(tx: Tx, accountId: number, next: string | null, isCancelled: boolean, at: Date) {
  return store.saveSubscription(tx, accountId, {
    next,
    is_cancelled: isCancelled,
    modified_at: at,
  });
}

/**
 * Saves the VAT number; an empty string removes it.
 * @throws AppError vat_malformed
 */
export async function saveVatNumber(
  tx: Tx,
  accountId: number,
  text: string,
): Promise<{ vat_number: string | null; is_valid: boolean }> {
  requireGateway();
  await store.lockBilling(tx, accountId);
  if (text.trim() === '') {
    await store.saveBilling(tx, accountId, { vat_number: null, is_vat_valid: null });
    return { vat_number: null, is_valid: false };
  }
  const vat = readVatNumber(text);
  if (!vat)
    throw new AppError('vat_malformed', {
      errors: { vat_number: ['billing:errors.vat_malformed'] },
    });
  // Only the EU register can validate the number. If it does not, tax is charged.
  const isValid = await billingSettings()
    .checkVat(vat)
    .catch(() => false);
  await store.saveBilling(tx, accountId, { vat_number: vat.number, is_vat_valid: isValid });
  return { vat_number: vat.number, is_valid: isValid };
}

export function listEmailUsage(
  db: Reader,
  accountId: number,
  list: ListRequest<'created'>,
): Promise<{ data: UsageEntry[] }> {
  return buildListResponse(
    list,
    {
      rows: (slice) => store.listUsage(db, accountId, list.direction, slice),
      total: () => store.countUsage(db, accountId),
    },
    (row) => ({
      kind: row.kind as UsageEntry['kind'],
      emails: row.emails,
      label: row.label,
      at: row.at.toISOString(),
    }),
  );
}
