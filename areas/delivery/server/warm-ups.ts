// Warm-ups: a domain that nobody knows sends little at first and more each day. The sender asks before
// it begins hand-overs; what is over the day's cap waits for the next, the less engaged longest.
import { domainToASCII } from 'node:url';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database.ts';
import { log } from '#platform/server/log.ts';
import type { ActiveMessage } from './active-message.ts';
import { change } from './control.ts';
import type { Sending } from './sending.ts';
import { giveBackToWarmUp, hasWarmUp, holdMessage, takeFromWarmUp } from './warm-ups.sql.ts';

export const DAY_MS = 86_400_000;
/** A plan begun by hand holds back what is on its way after so long. */
const LOOK_EVERY_MS = 3_000;

export function domainOf(email: string): string {
  const name = email.slice(email.lastIndexOf('@') + 1);
  return (domainToASCII(name) || name).toLowerCase();
}

/** One sender's look at the plans of the messages that it sends. */
export class WarmUps {
  private readonly db: Db;
  private readonly known = new WeakMap<ActiveMessage, { has: boolean; at: number }>();
  private readonly days = new WeakMap<ActiveMessage, Date>();

  constructor(db: Db) {
    this.db = db;
  }

  /** How many of so many may begin; with none, the message is held until the plan's next day. */
  async take(message: ActiveMessage, count: number): Promise<number> {
    if (!message.isMarketing || !(await this.hasPlan(message))) return count;
    return inTransaction(this.db, async (tx) => {
      const now = clock.now();
      const dayAgo = new Date(now.getTime() - DAY_MS);
      const at = { now, dayAgo };
      const { accountId, from } = message;
      const taken = await takeFromWarmUp(tx, accountId, domainOf(from), count, at);
      if (!taken) return count;
      if (taken.granted === 0) {
        await hold(tx, message, new Date(taken.day_began_at.getTime() + DAY_MS));
      }
      this.days.set(message, taken.day_began_at);
      return taken.granted;
    });
  }

  /** Gives back what was granted and is not handed over after all. */
  keep(message: ActiveMessage, granted: number, sendings: readonly Sending[]): void {
    const day = this.days.get(message);
    const unused = granted - sendings.filter((one) => one.skip === '').length;
    if (!day || unused <= 0 || !this.known.get(message)?.has) return;
    giveBackToWarmUp(this.db, message.accountId, domainOf(message.from), unused, day).catch(
      (error: Error) => log.warn('A cap was not given back', { error: error.message }),
    );
  }

  private async hasPlan(message: ActiveMessage): Promise<boolean> {
    const known = this.known.get(message);
    const at = performance.now();
    if (known && at - known.at < LOOK_EVERY_MS) return known.has;
    const has = await hasWarmUp(this.db, message.accountId, domainOf(message.from));
    this.known.set(message, { has, at });
    return has;
  }
}

async function hold(tx: Tx, message: ActiveMessage, until: Date): Promise<void> {
  const { accountId, id } = message;
  await holdMessage(tx, accountId, id, until);
  const to = { state: 'waiting', from: ['preparing', 'sending'], reason: 'warm_up' } as const;
  await change(tx, accountId, id, to);
}
