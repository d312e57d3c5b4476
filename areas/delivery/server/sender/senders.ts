// All senders of a process: one for the installation's relays, and one for each account with relays of its
// own, as long as it has something to send. They share nothing, so nobody's relay holds another's mails up.
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database.ts';
import { log } from '#platform/server/log.ts';
import { accountsWithTextWork } from '../ledger/open-messages.sql.ts';
import { PAGE, Pages } from '../ledger/pages.ts';
import { closedRelay } from '../relays/closed-relay.ts';
import type { Answer, OpenRelay, Outcome } from '../relays/provider.ts';
import type { RelayKinds } from '../relays/relay-kinds.ts';
import { openPool, openTextPool } from '../relays/relay-pool.ts';
import { accountsWithOwnWork } from '../relays/relays.sql.ts';
import { ownPool } from '../relays/relays.ts';
import type { OpenTextRelay, PooledText } from '../relays/text-provider.ts';
import { type MeasuredSender, runSender, runTextSender, type SenderFigures } from './sender.ts';
import { Signal } from './signal.ts';
import { listenForWork } from './wake.ts';

const LOOK_EVERY_MS = 1_000;
/** So far apart at least, however often somebody notifies. */
const LOOKS_APART_MS = 100;
/** One without work goes after so long. */
const IDLE_MS = 60_000;

type Answers = Record<Outcome, number>;
type Own = { sender: MeasuredSender; version: string; neededAt: number };

/** All senders of a process. */
export type RunningSenders = {
  /** Of the installation's relays, and of all accounts' own that there are now. */
  figures(): { shared: SenderFigures; own: SenderFigures[]; ended: Answers };
  close(): Promise<void>;
};

/** Starts them; `close` ends them all in order. */
export function runSenders(db: Db, instance: OpenRelay, kinds: RelayKinds): RunningSenders {
  const own: OwnWays = {
    accountsWithWork: (now, page) => accountsWithOwnWork(db, now, page),
    async open(accountId, known) {
      const { relays, version, failure } = await ownPool(db, kinds, accountId, known);
      if (known === version || (relays.length === 0 && !failure)) return { version };
      const isClosed = relays.length === 0 && failure;
      const open = isClosed ? closedRelay(failure) : openPool(db, relays);
      return { version, run: () => runSender(db, open, { channel: 'email', accountId }) };
    },
  };
  return runAll(db, runSender(db, instance), own);
}

/**
 * The same of texts: one for the installation's providers, and one for each account with providers of its own as long
 * as it has something to send. Whose these are is said by setAccountsWithOwnTexts; see setTextChannel as well.
 */
export function runTextSenders(db: Db, instance: OpenTextRelay, ways: OwnTextWays): RunningSenders {
  const own: OwnWays = {
    accountsWithWork: (now, page) => accountsWithTextWork(db, now, page),
    async open(accountId, known) {
      const { texts, version, failure } = await ways.open(accountId, known);
      if (known === version || (texts.length === 0 && !failure)) return { version };
      const isClosed = texts.length === 0 && failure;
      const open = isClosed ? closedRelay(failure) : openTextPool(db, texts);
      return { version, run: () => runTextSender(db, open, { channel: 'sms', accountId }) };
    },
  };
  return runAll(db, runTextSender(db, instance), own);
}

/** Accounts' own providers of texts. */
export type OwnTextWays = {
  /**
   * One's providers; empty where `known`, the version of what runs already, holds still. Where none of them can be
   * opened, `failure` says why.
   */
  open(
    accountId: number,
    known: string | undefined,
  ): Promise<{ texts: readonly PooledText[]; version: string; failure?: Answer }>;
};

/** Ways of accounts' own, of any channel. */
type OwnWays = {
  accountsWithWork(
    now: Date,
    page: { after: number; upto?: number; size: number },
  ): Promise<number[]>;
  /** What is to run for an account from now on; no `run` where that runs already, or there is nothing. */
  open(
    accountId: number,
    known: string | undefined,
  ): Promise<{ version: string; run?: () => MeasuredSender }>;
};

function runAll(db: Db, shared: MeasuredSender, ways: OwnWays): RunningSenders {
  const senders = new Senders(db, ways);
  senders.start();
  return {
    figures: () => ({ shared: shared.figures(), ...senders.figures() }),
    async close() {
      await Promise.all([senders.close(), shared.close()]);
    },
  };
}

class Senders {
  private readonly db: Db;
  private readonly ways: OwnWays;
  private readonly own = new Map<number, Own>();
  private readonly work = new Signal();
  /** Who notified since they were looked at; 0: all are to be. */
  private readonly heardOf = new Set<number>();
  private stopListening: (() => Promise<void>) | undefined;
  private loop: Promise<void> = Promise.resolve();
  private readonly ending = new Map<MeasuredSender, Promise<void>>();
  /** What relays answered whose senders are gone: what was counted once stays counted. */
  private readonly ended: Answers = {
    accepted: 0,
    deferred: 0,
    failed: 0,
    unknown: 0,
    relay_refused: 0,
  };
  /** More accounts than a page come to be looked at well within IDLE_MS. */
  private readonly pages = new Pages(0, PAGE);
  private isClosing = false;

  constructor(db: Db, ways: OwnWays) {
    this.db = db;
    this.ways = ways;
  }

  start(): void {
    this.stopListening = listenForWork(this.db, (accountId) => {
      this.heardOf.add(accountId);
      this.work.raise();
    });
    this.loop = this.watch();
  }

  async close(): Promise<void> {
    this.isClosing = true;
    this.work.raise();
    await this.stopListening?.();
    await this.loop;
    for (const [accountId, own] of this.own) this.end(accountId, own);
    await Promise.all(this.ending.values());
  }

  figures(): { own: SenderFigures[]; ended: Answers } {
    const running = [...this.own.values()].map(({ sender }) => sender);
    const own = [...running, ...this.ending.keys()].map((sender) => sender.figures());
    return { own, ended: { ...this.ended } };
  }

  private async watch(): Promise<void> {
    let wholeAt = Number.NEGATIVE_INFINITY;
    while (!this.isClosing) {
      const accounts = [...this.heardOf];
      this.heardOf.clear();
      // Looking at all costs a statement for each sender.
      const isCheaper = accounts.length > this.own.size;
      const isDue = performance.now() >= wholeAt + LOOK_EVERY_MS;
      const isWhole = isDue || isCheaper || accounts.includes(0);
      if (isWhole) wholeAt = performance.now();
      try {
        if (isWhole) await this.look();
        else for (const accountId of accounts) await this.lookAt(accountId);
      } catch (error) {
        log.warn('Could not read the accounts’ relays', { error: (error as Error).message });
      }
      await this.rest(wholeAt);
    }
  }

  /** Until somebody notifies, or all are to be looked at; what is heard meanwhile is looked at together. */
  private async rest(wholeAt: number): Promise<void> {
    if (this.isClosing) return;
    await new Promise((resolve) => setTimeout(resolve, LOOKS_APART_MS));
    if (this.isClosing) return;
    await this.work.wait(Math.max(1, wholeAt + LOOK_EVERY_MS - performance.now()));
  }

  /** The one that notified, alone. */
  private async lookAt(accountId: number): Promise<void> {
    const now = performance.now();
    const [first] = await this.ways.accountsWithWork(clock.now(), {
      after: accountId - 1,
      upto: accountId,
      size: 1,
    });
    const running = this.own.get(accountId);
    if (first === accountId && running) running.neededAt = now;
    if (first === accountId || running) await this.follow(accountId, running, now);
  }

  private async look(): Promise<void> {
    const now = performance.now();
    const page = await this.ways.accountsWithWork(clock.now(), this.pages);
    const needed = new Set(this.pages.passed(page, (accountId) => accountId));
    for (const accountId of new Set([...needed, ...this.own.keys()])) {
      const running = this.own.get(accountId);
      if (running && needed.has(accountId)) running.neededAt = now;
      if (running && now - running.neededAt > IDLE_MS) this.end(accountId, running);
      else await this.follow(accountId, running, now);
    }
  }

  /** Starts it, or starts it anew where its relays changed. */
  private async follow(accountId: number, running: Own | undefined, now: number): Promise<void> {
    const { version, run } = await this.ways.open(accountId, running?.version);
    if (running?.version === version) return;
    if (running) this.end(accountId, running);
    if (this.isClosing || !run) return;
    const sender = run();
    this.own.set(accountId, { sender, version, neededAt: now });
  }

  /** Nobody waits for it: what is under way there ends in its own time. */
  private end(accountId: number, { sender }: Own): void {
    this.own.delete(accountId);
    const ending = sender.close().finally(() => this.forget(sender));
    this.ending.set(sender, ending);
  }

  private forget(sender: MeasuredSender): void {
    this.ending.delete(sender);
    for (const { answers } of sender.figures().relays) {
      for (const outcome of Object.keys(answers) as Outcome[]) {
        this.ended[outcome] += answers[outcome];
      }
    }
  }
}
