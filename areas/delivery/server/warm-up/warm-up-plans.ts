// Lists, starts and ends warm-up plans of an account, and suggests them for new domains.
import { parseSenderDomain, listVerifiedDomains } from '#areas/domains/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { invalid } from '#platform/server/errors.ts';
import type { WarmUp } from '../../relays-contract.ts';
import { computeWarmUpCaps } from '../../relay-limits.ts';
import { changeState } from '../ledger/control.ts';
import { notifySenders } from '../ledger/messages.sql.ts';
import { DAY_MS } from './warm-ups.ts';
import * as store from './warm-ups.sql.ts';

/** A domain with fewer emails in the last NEW_DAYS days is treated as new. */
const NEW_BELOW = 500;
const NEW_DAYS = 30;

export async function listWarmUps(tx: Tx, accountId: number): Promise<WarmUp[]> {
  const plans = await store.listWarmUps(tx, accountId);
  const byDomain = new Map(plans.map((plan) => [plan.domain, plan]));
  const domains = new Set([...(await listVerifiedDomains(tx, accountId)), ...byDomain.keys()]);
  const sentCounts = await countsLately(tx, accountId);
  return [...domains].toSorted().map((domain) => {
    const plan = byDomain.get(domain);
    if (plan) return present(plan);
    const state = (sentCounts.get(domain) ?? 0) < NEW_BELOW ? 'suggested' : 'none';
    return {
      domain,
      state,
      day: 0,
      days: 0,
      cap: null,
      used: 0,
      next_day_at: null,
      caps: [],
      sent: [],
    };
  });
}

const countsLately = (db: Reader, accountId: number) =>
  store.listCountsFrom(db, accountId, new Date(clock.now().getTime() - NEW_DAYS * DAY_MS));

/**
 * Returns the address's domain if it is new, no warm-up of it was ever started, and `count` emails
 * are too many for a new domain.
 */
export async function findNewSenderDomain(
  db: Reader,
  accountId: number,
  email: string,
  count: number,
): Promise<string | undefined> {
  if (count <= NEW_BELOW) return undefined;
  const domain = parseSenderDomain(email);
  const plans = await store.listWarmUps(db, accountId);
  if (plans.some((plan) => plan.domain === domain)) return undefined;
  const sentCounts = await countsLately(db, accountId);
  return (sentCounts.get(domain) ?? 0) < NEW_BELOW ? domain : undefined;
}

export async function startWarmUp(
  tx: Tx,
  accountId: number,
  body: { domain: string; target: number },
): Promise<WarmUp> {
  const domain = body.domain.toLowerCase();
  await requireDomain(tx, accountId, domain);
  const plan = { accountId, domain, caps: computeWarmUpCaps(body.target), at: clock.now() };
  return present(await store.putWarmUp(tx, plan));
}

/** Ends a warm-up, so that the messages it delays are sent. */
export async function endWarmUp(tx: Tx, accountId: number, name: string): Promise<WarmUp> {
  const domain = name.toLowerCase();
  await requireDomain(tx, accountId, domain);
  await store.endWarmUp(tx, accountId, domain, clock.now());
  for (const messageId of await store.releaseDelayed(tx, accountId, domain)) {
    const stateChange = { state: 'sending', from: ['waiting'], reason: null } as const;
    await changeState(tx, accountId, messageId, stateChange);
  }
  await notifySenders(tx, accountId);
  const plan = (await store.listWarmUps(tx, accountId)).find((warmUp) => warmUp.domain === domain);
  if (!plan) throw invalid({ domain: ['errors.warmUp.domain'] });
  return present(plan);
}

async function requireDomain(tx: Tx, accountId: number, domain: string): Promise<void> {
  const verified = new Set(await listVerifiedDomains(tx, accountId));
  for (const plan of await store.listWarmUps(tx, accountId)) verified.add(plan.domain);
  if (!verified.has(domain)) throw invalid({ domain: ['errors.warmUp.domain'] });
}

function present(plan: store.WarmUpRow): WarmUp {
  const { domain, caps } = plan;
  const nextDayAt = plan.day_began_at && plan.day_began_at.getTime() + DAY_MS;
  // The next day is stored only with its first email.
  const isOver = nextDayAt !== null && nextDayAt <= clock.now().getTime();
  const day = Math.max(1, plan.day + (isOver ? 1 : 0));
  const isRunning = plan.is_on && day <= caps.length;
  return {
    domain,
    state: isRunning ? 'running' : 'ended',
    day: Math.min(day, caps.length),
    days: caps.length,
    cap: isRunning ? (caps[day - 1] ?? null) : null,
    used: isOver ? 0 : plan.used,
    next_day_at: nextDayAt && !isOver ? new Date(nextDayAt).toISOString() : null,
    caps,
    sent: sentOf(plan, isOver),
  };
}

/** Emails sent on each day so far, today last; null for days before these counts were stored. */
function sentOf({ past, day, used }: store.WarmUpRow, isOver: boolean): (number | null)[] {
  if (day === 0) return [];
  const dailyCounts = [...past, used, ...(isOver ? [0] : [])];
  const lacking = Math.max(0, day + (isOver ? 1 : 0) - dailyCounts.length);
  return [...Array.from({ length: lacking }, () => null), ...dailyCounts];
}
