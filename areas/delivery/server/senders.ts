// All senders of a process: one for the installation's relays, and one for each account with relays of its
// own, as long as it has something to send. They share nothing, so nobody's relay holds another's mails up.
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database.ts';
import { log } from '#platform/server/log.ts';
import type { OpenRelay } from './provider.ts';
import type { RelayKinds } from './relay-kinds.ts';
import { openPool } from './relay-pool.ts';
import { ownPool } from './relays.ts';
import { accountsWithOwnWork } from './relays.sql.ts';
import { runSender, type RunningSender } from './sender.ts';
import { Signal } from './signal.ts';
import { listenForWork } from './wake.ts';

const LOOK_EVERY_MS = 1_000;
/** One without work goes after so long. */
const IDLE_MS = 60_000;

type Own = { sender: RunningSender; version: string; neededAt: number };

/** Starts them; `close` ends them all in order. */
export function runSenders(db: Db, instance: OpenRelay, kinds: RelayKinds): RunningSender {
  const senders = new Senders(db, kinds);
  const shared = runSender(db, instance, 'shared');
  senders.start();
  return {
    async close() {
      await Promise.all([senders.close(), shared.close()]);
    },
  };
}

class Senders {
  private readonly db: Db;
  private readonly kinds: RelayKinds;
  private readonly own = new Map<number, Own>();
  private readonly work = new Signal();
  private stopListening: (() => Promise<void>) | undefined;
  private loop: Promise<void> = Promise.resolve();
  private readonly ending = new Set<Promise<void>>();
  private isClosing = false;

  constructor(db: Db, kinds: RelayKinds) {
    this.db = db;
    this.kinds = kinds;
  }

  start(): void {
    this.stopListening = listenForWork(this.db, () => this.work.raise());
    this.loop = this.watch();
  }

  async close(): Promise<void> {
    this.isClosing = true;
    this.work.raise();
    await this.stopListening?.();
    await this.loop;
    for (const [accountId, own] of this.own) this.end(accountId, own);
    await Promise.all(this.ending);
  }

  private async watch(): Promise<void> {
    while (!this.isClosing) {
      try {
        await this.look();
      } catch (error) {
        log.warn('Own relays cannot be read', { error: (error as Error).message });
      }
      await this.work.wait(LOOK_EVERY_MS);
    }
  }

  private async look(): Promise<void> {
    const now = performance.now();
    const needed = new Set(await accountsWithOwnWork(this.db, clock.now()));
    for (const accountId of new Set([...needed, ...this.own.keys()])) {
      const running = this.own.get(accountId);
      if (running && needed.has(accountId)) running.neededAt = now;
      if (running && now - running.neededAt > IDLE_MS) this.end(accountId, running);
      else await this.follow(accountId, running, now);
    }
  }

  /** Starts it, or starts it anew where its relays changed. */
  private async follow(accountId: number, running: Own | undefined, now: number): Promise<void> {
    const { relays, version } = await ownPool(this.db, this.kinds, accountId);
    if (running?.version === version) return;
    if (running) this.end(accountId, running);
    if (relays.length === 0 || this.isClosing) return;
    const sender = runSender(this.db, openPool(this.db, relays), { accountId });
    this.own.set(accountId, { sender, version, neededAt: now });
  }

  /** Nobody waits for it: what is under way there ends in its own time. */
  private end(accountId: number, { sender }: Own): void {
    this.own.delete(accountId);
    const ending: Promise<void> = sender.close().finally(() => this.ending.delete(ending));
    this.ending.add(ending);
  }
}
