// Applies warm-ups: a new domain sends more emails each day. A sender takes capacity from the day's
// cap before it starts handoffs; when the cap is used up, the message waits for the next day.
import { parseSenderDomain } from '#areas/domains/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import type { ActiveMessage } from '../sender/active-message.ts';
import { changeState } from '../ledger/control.ts';
import type { LedgerHandoff } from '../sender/sending.ts';
import * as store from './warm-ups.sql.ts';

export const DAY_MS = 86_400_000;
/** Time after which a sender checks again whether a message's domain has a plan. */
const POLL_EVERY_MS = 3_000;

export class WarmUps {
  private readonly db: Db;
  private readonly cachedPlans = new WeakMap<
    ActiveMessage,
    { hasPlan: boolean; checkedAt: number }
  >();
  private readonly days = new WeakMap<ActiveMessage, Date>();
  /** Start of the warm-up day whose cap each handoff uses. */
  private readonly dayByHandoff = new WeakMap<LedgerHandoff, Date>();

  constructor(db: Db) {
    this.db = db;
  }

  /**
   * Returns how many of `count` handoffs may start. If none may, the message is delayed until the
   * plan's next day.
   */
  async take(message: ActiveMessage, count: number): Promise<number> {
    const needsWarmUp = message.isMarketing && message.kindRules.channel === 'email';
    if (!needsWarmUp || !(await this.hasPlan(message))) return count;
    return inTransaction(this.db, async (tx) => {
      const now = clock.now();
      const dayAgo = new Date(now.getTime() - DAY_MS);
      const at = { now, dayAgo };
      const { accountId, from } = message;
      const grant = await store.reserveFromWarmUp(
        tx,
        accountId,
        parseSenderDomain(from),
        count,
        at,
      );
      if (!grant) return count;
      if (grant.granted === 0) {
        await delay(tx, message, new Date(grant.day_began_at.getTime() + DAY_MS));
      }
      this.days.set(message, grant.day_began_at);
      return grant.granted;
    });
  }

  /**
   * Takes capacity for single sends, in the transaction that leases them. Returns how many may be
   * sent, and until when the others wait.
   */
  async reserveFor(tx: Tx, message: ActiveMessage, count: number) {
    const now = clock.now();
    const at = { now, dayAgo: new Date(now.getTime() - DAY_MS) };
    const domain = parseSenderDomain(message.from);
    // A day of the plan begins only with an email.
    const needsWarmUp = message.kindRules.channel === 'email' && count > 0;
    const grant =
      needsWarmUp && (await this.hasPlan(message, tx))
        ? await store.reserveFromWarmUp(tx, message.accountId, domain, count, at)
        : undefined;
    if (!grant) return { granted: count, until: now };
    this.days.set(message, grant.day_began_at);
    const until = new Date(grant.day_began_at.getTime() + DAY_MS);
    return { granted: grant.granted, until };
  }

  /**
   * Records the handoffs that use granted capacity, and adds the unused rest to the day's cap
   * again.
   */
  recordUse(
    message: ActiveMessage,
    grantedCount: number,
    handoffs: readonly LedgerHandoff[],
  ): void {
    const day = this.days.get(message);
    if (!day || !this.cachedPlans.get(message)?.hasPlan) return;
    const leaving = handoffs.filter((handoff) => handoff.skipReason === '');
    for (const handoff of leaving) this.dayByHandoff.set(handoff, day);
    const unusedCount = grantedCount - leaving.length;
    if (unusedCount <= 0) return;
    store
      .returnToWarmUp(this.db, message.accountId, parseSenderDomain(message.from), unusedCount, day)
      .catch(logReturnFailure);
  }

  /**
   * Adds the capacity of withdrawn handoffs to the day's cap again, so that their message may
   * continue on the same day.
   */
  async returnAllowance(message: ActiveMessage, handoffs: readonly LedgerHandoff[]): Promise<void> {
    const counts = new Map<number, number>();
    for (const handoff of handoffs) {
      const day = this.dayByHandoff.get(handoff)?.getTime();
      if (day !== undefined) counts.set(day, (counts.get(day) ?? 0) + 1);
    }
    for (const [time, count] of counts) {
      const day = new Date(time);
      await inTransaction(this.db, (tx) => returnTo(tx, message, day, count)).catch(
        logReturnFailure,
      );
    }
  }

  private async hasPlan(message: ActiveMessage, db: Reader = this.db): Promise<boolean> {
    const cached = this.cachedPlans.get(message);
    const at = performance.now();
    if (cached && at - cached.checkedAt < POLL_EVERY_MS) return cached.hasPlan;
    const hasPlan = await store.hasWarmUp(db, message.accountId, parseSenderDomain(message.from));
    this.cachedPlans.set(message, { hasPlan, checkedAt: at });
    return hasPlan;
  }
}

function logReturnFailure(error: Error): void {
  log.warn('Could not return unused warm-up quota', { reason: error.message });
}

async function returnTo(tx: Tx, message: ActiveMessage, day: Date, count: number): Promise<void> {
  const { accountId, id, from } = message;
  await store.returnToWarmUp(tx, accountId, parseSenderDomain(from), count, day);
  const nextDay = new Date(day.getTime() + DAY_MS);
  if (!(await store.releaseMessage(tx, accountId, id, nextDay))) return;
  await changeState(tx, accountId, id, { state: 'sending', from: ['waiting'], reason: null });
}

async function delay(tx: Tx, message: ActiveMessage, until: Date): Promise<void> {
  const { accountId, id } = message;
  await store.delayMessage(tx, accountId, id, until);
  // The message may still be in state `waiting` although the relay has recovered.
  const from = ['preparing', 'sending', 'waiting'] as const;
  await changeState(tx, accountId, id, { state: 'waiting', from, reason: 'warm_up' });
}
