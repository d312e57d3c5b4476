// All senders of a process for one channel: one for the installation's relays, and one for each
// account with its own relays, while the account has work. They share no state, so a relay of one
// account does not delay the messages of others.
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import { isolateAccount } from '../ledger/isolate-message.ts';
import { listAccountsWithSmsWork } from '../ledger/open-messages.sql.ts';
import { PAGE_ROWS, PageCursor } from '../ledger/pages.ts';
import { closedRelay } from '../relays/closed-relay.ts';
import type { HandoffResult, OpenRelay, HandoffOutcome } from '../relays/provider.ts';
import type { RelayKinds } from '../relays/relay-kinds.ts';
import { openPool, openSmsPool } from '../relays/relay-pool.ts';
import { listAccountsWithOwnWork } from '../relays/relays.sql.ts';
import { openOwnPool } from '../relays/relays.ts';
import type { OpenSmsRelay, PooledSms } from '../relays/sms-provider.ts';
import { type MeasuredSender, runSender, runSmsSender, type SenderStatistics } from './sender.ts';
import { WakeSignal } from './signal.ts';
import { listenForWork } from './wake.ts';

const POLL_EVERY_MS = 1_000;
/** Minimum time between polls, even if many notifications arrive. */
const MIN_POLL_INTERVAL_MS = 100;
/** A sender without work stops after this time. */
const IDLE_MS = 60_000;

type OutcomeCounts = Record<HandoffOutcome, number>;
type AccountSender = { sender: MeasuredSender; version: string; neededAt: number };

export type RunningSenders = {
  /** Statistics of the installation's relays and of all running senders of accounts. */
  getStatistics(): {
    shared: SenderStatistics;
    perAccount: SenderStatistics[];
    stoppedCounts: OutcomeCounts;
  };
  close(): Promise<void>;
};

/** Starts the senders of email; `close` stops them all and waits for their handoffs in flight. */
export function runSenders(db: Db, instance: OpenRelay, kinds: RelayKinds): RunningSenders {
  const ownSenders: OwnSenders = {
    listAccountsWithWork: (now, page) => listAccountsWithOwnWork(db, now, page),
    async open(accountId, knownVersion) {
      const { relays, version, failure } = await openOwnPool(db, kinds, accountId, knownVersion);
      if (knownVersion === version || (relays.length === 0 && !failure)) return { version };
      const isClosed = relays.length === 0 && failure;
      const openRelay = isClosed ? closedRelay(failure) : openPool(db, relays);
      return { version, run: () => runSender(db, openRelay, { channel: 'email', accountId }) };
    },
  };
  return runAll(db, runSender(db, instance), ownSenders);
}

/**
 * Starts the senders of SMS. Requires `setSmsChannel`, and `setAccountsWithOwnSms` for accounts
 * with their own providers.
 */
export function runSmsSenders(
  db: Db,
  instance: OpenSmsRelay,
  source: OwnSmsSenders,
): RunningSenders {
  const ownSenders: OwnSenders = {
    listAccountsWithWork: (now, page) => listAccountsWithSmsWork(db, now, page),
    async open(accountId, knownVersion) {
      const { providers, version, failure } = await source.open(accountId, knownVersion);
      if (knownVersion === version || (providers.length === 0 && !failure)) return { version };
      const isClosed = providers.length === 0 && failure;
      const openRelay = isClosed ? closedRelay(failure) : openSmsPool(db, providers);
      return { version, run: () => runSmsSender(db, openRelay, { channel: 'sms', accountId }) };
    },
  };
  return runAll(db, runSmsSender(db, instance), ownSenders);
}

/** Provides accounts' own SMS providers. */
export type OwnSmsSenders = {
  /**
   * Opens an account's providers. `providers` is empty if `knownVersion`, the running version, is
   * current. It is also empty if no provider can be opened; in this case, `failure` is the reason.
   */
  open(
    accountId: number,
    knownVersion: string | undefined,
  ): Promise<{ providers: readonly PooledSms[]; version: string; failure?: HandoffResult }>;
};

/** Finds and opens the senders of accounts with their own relays or SMS providers. */
type OwnSenders = {
  listAccountsWithWork(
    now: Date,
    page: { after: number; lastId?: number; size: number },
  ): Promise<number[]>;
  /**
   * Returns the function that starts an account's sender; no `run` if `knownVersion`, the running
   * version, is current, or there is nothing to start.
   */
  open(
    accountId: number,
    knownVersion: string | undefined,
  ): Promise<{ version: string; run?: () => MeasuredSender }>;
};

function runAll(db: Db, sharedSender: MeasuredSender, source: OwnSenders): RunningSenders {
  const senders = new Senders(db, source);
  senders.start();
  return {
    getStatistics: () => ({ shared: sharedSender.getStatistics(), ...senders.getStatistics() }),
    async close() {
      await Promise.all([senders.close(), sharedSender.close()]);
    },
  };
}

class Senders {
  private readonly db: Db;
  private readonly ownSenders: OwnSenders;
  private readonly sendersByAccount = new Map<number, AccountSender>();
  private readonly workFound = new WakeSignal();
  /** Accounts with notifications of new work since their last poll; 0 means all accounts. */
  private readonly notifiedAccounts = new Set<number>();
  private stopListening: (() => Promise<void>) | undefined;
  private loop: Promise<void> = Promise.resolve();
  private readonly stoppingSenders = new Map<MeasuredSender, Promise<void>>();
  /** Replies that stopped senders counted, so that totals never decrease. */
  private readonly stoppedCounts: OutcomeCounts = {
    accepted: 0,
    deferred: 0,
    failed: 0,
    unknown: 0,
    relay_refused: 0,
  };
  /** Pages through the accounts, all of which are polled well within IDLE_MS. */
  private readonly pages = new PageCursor(0, PAGE_ROWS);
  private isClosing = false;

  constructor(db: Db, source: OwnSenders) {
    this.db = db;
    this.ownSenders = source;
  }

  start(): void {
    this.stopListening = listenForWork(this.db, (accountId) => {
      this.notifiedAccounts.add(accountId);
      this.workFound.raise();
    });
    this.loop = this.watch();
  }

  async close(): Promise<void> {
    this.isClosing = true;
    this.workFound.raise();
    await this.stopListening?.();
    await this.loop;
    for (const [accountId, running] of this.sendersByAccount) this.stopSender(accountId, running);
    await Promise.all(this.stoppingSenders.values());
  }

  getStatistics(): { perAccount: SenderStatistics[]; stoppedCounts: OutcomeCounts } {
    const running = [...this.sendersByAccount.values()].map(({ sender }) => sender);
    const statistics = [...running, ...this.stoppingSenders.keys()].map((sender) =>
      sender.getStatistics(),
    );
    return { perAccount: statistics, stoppedCounts: { ...this.stoppedCounts } };
  }

  private async watch(): Promise<void> {
    let wholeAt = Number.NEGATIVE_INFINITY;
    while (!this.isClosing) {
      const accounts = [...this.notifiedAccounts];
      this.notifiedAccounts.clear();
      // A full poll costs about one statement per running sender.
      const isCheaper = accounts.length > this.sendersByAccount.size;
      const isDue = performance.now() >= wholeAt + POLL_EVERY_MS;
      const isWhole = isDue || isCheaper || accounts.includes(0);
      if (isWhole) wholeAt = performance.now();
      try {
        if (isWhole) await this.poll();
        else for (const accountId of accounts) await this.pollAccount(accountId);
      } catch (error) {
        log.warn('Could not load account relays', { reason: (error as Error).message });
      }
      await this.waitForWork(wholeAt);
    }
  }

  /**
   * Waits for a notification or the next full poll, at least the minimum interval.
   */
  private async waitForWork(wholeAt: number): Promise<void> {
    if (this.isClosing) return;
    await new Promise((resolve) => setTimeout(resolve, MIN_POLL_INTERVAL_MS));
    if (this.isClosing) return;
    await this.workFound.wait(Math.max(1, wholeAt + POLL_EVERY_MS - performance.now()));
  }

  /** Polls only the account that a notification was about. */
  private async pollAccount(accountId: number): Promise<void> {
    const now = performance.now();
    const [first] = await this.ownSenders.listAccountsWithWork(clock.now(), {
      after: accountId - 1,
      lastId: accountId,
      size: 1,
    });
    const running = this.sendersByAccount.get(accountId);
    if (first === accountId && running) running.neededAt = now;
    if (first === accountId || running) await this.updateSender(accountId, running, now);
  }

  private async poll(): Promise<void> {
    const now = performance.now();
    const page = await this.ownSenders.listAccountsWithWork(clock.now(), this.pages);
    const neededAccounts = new Set(this.pages.advance(page, (accountId) => accountId));
    for (const accountId of new Set([...neededAccounts, ...this.sendersByAccount.keys()])) {
      const running = this.sendersByAccount.get(accountId);
      if (running && neededAccounts.has(accountId)) running.neededAt = now;
      if (running && now - running.neededAt > IDLE_MS) this.stopSender(accountId, running);
      else await this.updateSender(accountId, running, now);
    }
  }

  /** Starts the account's sender, or restarts it after a change of its relays. */
  private async updateSender(
    accountId: number,
    running: AccountSender | undefined,
    now: number,
  ): Promise<void> {
    const openedRelay = await isolateAccount(
      accountId,
      'Could not read the relays of an account',
      () => this.ownSenders.open(accountId, running?.version),
    );
    if (!openedRelay || running?.version === openedRelay.version) return;
    const { version, run } = openedRelay;
    if (running) this.stopSender(accountId, running);
    if (this.isClosing || !run) return;
    const sender = run();
    this.sendersByAccount.set(accountId, { sender, version, neededAt: now });
  }

  /** Stops the sender without waiting for handoffs in flight. */
  private stopSender(accountId: number, { sender }: AccountSender): void {
    this.sendersByAccount.delete(accountId);
    const ending = sender.close().finally(() => this.recordStopped(sender));
    this.stoppingSenders.set(sender, ending);
  }

  private recordStopped(sender: MeasuredSender): void {
    this.stoppingSenders.delete(sender);
    for (const { outcomeCounts } of sender.getStatistics().relays) {
      for (const outcome of Object.keys(outcomeCounts) as HandoffOutcome[]) {
        this.stoppedCounts[outcome] += outcomeCounts[outcome];
      }
    }
  }
}
