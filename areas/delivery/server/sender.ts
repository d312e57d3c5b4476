// The sender: begins hand-overs in the ledger in small steps, feeds the relay with them, and has the
// answers written down. Several processes share the work through the ledger alone.
//
// Begun and unanswered are never more than one step: two rows per connection and 50 ms of the current
// rate. Singles go before ranges. While the relay is gone nothing begins, and what began but did not
// leave is taken back; so it is when a message is paused or cancelled, and at the end.
import { randomUUID } from 'node:crypto';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database.ts';
import { log } from '#platform/server/log.ts';
import { ActiveMessages, type ActiveMessage } from './active-message.ts';
import { byItself } from './by-itself.ts';
import { messageStarted } from './events.ts';
import { mailboxOfLane } from './lanes.ts';
import * as ledger from './ledger.sql.ts';
import { withMemberships } from './memberships.ts';
import { markStarted, readSendingPaused } from './messages.sql.ts';
import { Caretaker } from './caretaker.ts';
import { Ranges } from './ranges.ts';
import { RateMeter } from './rate-meter.ts';
import { Recorder } from './recorder.ts';
import { keyOf, Rotation, type Turn } from './rotation.ts';
import { deferredSendings, type HeldLease, type Sending } from './sending.ts';
import { Signal } from './signal.ts';
import { Signing } from './signing.ts';
import { Singles } from './singles.ts';
import type { Answer, OpenRelay, Relay, RelayReport, RelayState, Source } from './provider.ts';
import { SendingQueue } from './sending-queue.ts';
import { FIRST, PAGE, Pages } from './pages.ts';
import { listenForWork } from './wake.ts';
import { WarmUps } from './warm-ups.ts';
import { withdrawMessage } from './withdraw.ts';

const POLL_MS = 1_000;
const AFTER_FAILURE_MS = 500;
/** A step's share of a second of the current rate. */
const STEP_SECONDS = 0.05;
/** A leased range: two seconds of the current rate, so that several senders come to share a message. */
const RANGE_SECONDS = 2;
const LEAST_RANGE = 100;
const MOST_RANGE = 10_000;
const DRAIN_MS = 8_000;
const DRAIN_TO_DATABASE_MS = 3_000;

export type RunningSender = { close(): Promise<void> };

/** Of one sender; tests make them small. */
export type SenderLimits = {
  /** Messages that stay compiled, beside those with a range to go on with. */
  keptMessages: number;
  /** Messages that one look at the ledger reads; the next look goes on behind them. */
  page: number;
};
const LIMITS: SenderLimits = { keptMessages: 200, page: PAGE };
export type MeasuredSender = RunningSender & { figures(): SenderFigures };

/** What a sender is doing, read when somebody asks. */
export type SenderFigures = {
  relays: RelayReport[];
  /** Begun in the ledger, and not answered there yet: still here, at a relay, being written down. */
  begun: { waiting: number; underWay: number; answered: number };
  /** Nothing leaves until somebody lets the installation go on (a backup was restored). */
  isPaused: boolean;
};

/** Seconds of a slow relay's rate that may stand begun. */
const SLOW_SECONDS = 10;

/**
 * Starts sending through a relay (or a pool of them) what is in the scope. `close` lets what is under way
 * end and gives back the rest.
 */
export function runSender(
  db: Db,
  openRelay: OpenRelay,
  scope: ledger.Scope = 'shared',
  limits: Partial<SenderLimits> = {},
): MeasuredSender {
  const sender = new Sender(db, openRelay, scope, { ...LIMITS, ...limits });
  sender.start();
  return sender;
}

class Sender implements Source<Sending>, MeasuredSender {
  readonly owner = `sender-${process.pid}-${randomUUID().slice(0, 8)}`;
  private readonly db: Db;
  private readonly relay: Relay;
  private readonly messages: ActiveMessages;
  private readonly recorder: Recorder;
  private readonly singles: Singles;
  private readonly caretaker: Caretaker;
  private readonly ranges: Ranges;
  private readonly warmUps: WarmUps;
  private readonly scope: ledger.Scope;
  private readonly rotation = new Rotation();
  private readonly pages: Pages<ledger.MessageKey>;
  private readonly queue = new SendingQueue();
  private readonly signing: Signing;
  /** Begun rows that were leased one by one. */
  private readonly rows = new Set<Sending>();
  /** Taken out of the queue and not yet taken back in the ledger. */
  private withdrawn: Sending[] = [];
  /** Messages with deferred recipients that are due. */
  private readonly due = new Set<string>();
  /** Messages of which only these may leave, until their warm-up's next day. */
  private readonly held = new Map<string, Date>();
  private refusal: (RelayState & { is: 'refused' }) | undefined;
  private readonly rate = new RateMeter();
  private readonly room = new Signal();
  private readonly work = new Signal();
  private underWay = 0;
  /** With so many under way the relay has its hands full. */
  private readonly busyFrom: number;
  private isPaused = false;
  private isClosing = false;
  private loops: Promise<unknown>[] = [];
  private beginning: Promise<unknown> = Promise.resolve();
  private stopListening: (() => Promise<void>) | undefined;

  constructor(db: Db, openRelay: OpenRelay, scope: ledger.Scope, limits: SenderLimits) {
    this.db = db;
    this.scope = scope;
    this.messages = new ActiveMessages(db, limits.keptMessages, (key) => this.ranges.holdsOf(key));
    this.relay = openRelay<Sending>(this);
    this.busyFrom = Math.ceil(this.relay.capacity / 4);
    this.signing = new Signing(() => {
      this.noteBusy();
      if (this.queue.isReady) this.relay.wake();
    });
    this.recorder = new Recorder(db, this.owner, this.relay.name, (sending) => {
      if (sending.row.in !== 'range') this.rows.delete(sending);
      this.room.raise();
    });
    this.singles = new Singles(db, this.owner, scope, this.messages);
    this.caretaker = new Caretaker(db, this.owner, limits.page);
    this.ranges = new Ranges(db, this.owner, scope);
    this.pages = new Pages(FIRST, limits.page);
    this.warmUps = new WarmUps(db);
  }

  start(): void {
    this.stopListening = listenForWork(this.db, () => this.work.raise());
    this.loops = [this.watch(), this.feed()];
  }

  async close(): Promise<void> {
    this.isClosing = true;
    this.work.raise();
    this.room.raise();
    await this.stopListening?.();
    await Promise.all(this.loops);
    await this.relay.close(DRAIN_MS);
    this.takeOut(() => true);
    await this.recorder.drain(DRAIN_TO_DATABASE_MS);
    this.ranges.closeAll();
    try {
      await this.takeBack();
      await this.ranges.giveBack();
    } catch (error) {
      log.warn('What was held could not be given back', { error: (error as Error).message });
    }
  }

  figures(): SenderFigures {
    return {
      relays: this.relay.reports?.() ?? [],
      begun: {
        waiting: this.queue.size,
        underWay: this.underWay,
        answered: this.recorder.waiting,
      },
      isPaused: this.isPaused,
    };
  }

  // What the relay asks and tells; all synchronous.

  ready(): number {
    if (this.queue.isReady) return this.queue.size;
    // A relay that is gone opens a connection only if there is something to send.
    return this.relay?.state().is !== 'ready' && this.hasWork() ? 1 : 0;
  }

  next(): Sending | null {
    for (;;) {
      const sending = this.queue.shift();
      if (!sending) return null;
      if (sending.skip === '') {
        this.underWay++;
        this.noteBusy();
        return sending;
      }
      this.recorder.skipped(sending);
    }
  }

  answered(sending: Sending, answer: Answer): void {
    this.underWay--;
    this.noteBusy();
    if (answer.outcome === 'accepted') this.rate.count();
    this.recorder.answered(sending, answer);
  }

  /** The rate is what leaves while the relay or the signing has its hands full. */
  private noteBusy(): void {
    this.rate.busy(this.underWay >= this.busyFrom || this.signing.isBusy);
  }

  changed(state: RelayState): void {
    if (state.is === 'ready') log.info('The relay answers again', { relay: this.relay.name });
    else {
      if (state.is === 'refused') this.refusal = state;
      const { answer } = state;
      const words = `${answer.code || ''} ${answer.reply}`.trim();
      log.warn('The relay cannot be used', { relay: this.relay.name, is: state.is, words });
    }
    this.work.raise();
    this.room.raise();
  }

  // Looking for work.

  private hasWork(): boolean {
    return this.rotation.size > 0 || this.singles.hasWork;
  }

  /** Each second, and whenever somebody notifies: what is there to send, and may it be sent? */
  private async watch(): Promise<void> {
    while (!this.isClosing) {
      try {
        await this.look();
      } catch (error) {
        log.warn('The ledger cannot be read', { error: (error as Error).message });
      }
      await this.work.wait(POLL_MS);
    }
  }

  private async look(): Promise<void> {
    const now = clock.now();
    this.isPaused = (await readSendingPaused(this.db)) !== undefined;
    if (!this.isPaused) await this.lookForSingles(now);
    await this.caretaker.keep(this.ranges.held(), this.rows);
    if (this.isPaused) this.takeOut(() => true);
    await this.dropStopped();
    await this.followRelay();
    await this.takeBack();
    await this.ranges.giveBack();
    if (this.scope === 'shared') await this.caretaker.settle(now);
    if (this.isPaused) return;
    await this.findWork(now);
    if (!this.hasWork()) return;
    this.room.raise();
    this.relay.wake();
  }

  /** Before everything else: somebody waits for each of these. */
  private async lookForSingles(now: Date): Promise<void> {
    await this.singles.look(now);
    if (!this.singles.hasWork) return;
    this.room.raise();
    this.relay.wake();
  }

  private async findWork(now: Date): Promise<void> {
    const stale: Turn[] = [];
    for (const message of this.ranges.messages()) this.rotation.add(message.turn);
    const page = await ledger.openMessages(this.db, this.scope, now, this.pages);
    for (const row of this.pages.passed(page, (one) => one)) {
      const turn = { accountId: row.account_id, messageId: row.id };
      this.rotation.add(turn);
      const key = keyOf(turn);
      if (row.has_deferred) this.due.add(key);
      if (row.resumed_at) this.messages.resumed(key, row.resumed_at);
      if (row.held_until) this.held.set(key, row.held_until);
      else this.held.delete(key);
      if (row.is_waiting && !row.held_until) stale.push(turn);
    }
    if (this.isRelayUsable) await this.caretaker.tellSending(stale);
  }

  private get isRelayUsable(): boolean {
    return this.relay.state().is === 'ready';
  }

  /** While the relay is gone, messages say so, and nothing stays begun that did not leave. */
  private async followRelay(): Promise<void> {
    const state = this.relay.state();
    if (state.is === 'ready') return;
    const turns = [...this.rotation.all(), ...[...this.ranges.messages()].map((one) => one.turn)];
    this.takeOut(() => true);
    // Another process's relay may answer.
    this.ranges.closeAll();
    if (this.refusal) await this.caretaker.tellRefused(turns, this.refusal);
    else await this.caretaker.tellWaiting(turns, state);
    if (this.refusal) for (const turn of turns) this.rotation.delete(turn);
    this.refusal = undefined;
  }

  /** Paused, cancelled, another sender's by now: what did not leave is taken back. */
  private async dropStopped(): Promise<void> {
    const held = new Set([...this.ranges.messages(), ...this.queue.messages()]);
    const turns = new Map([...held].map(({ key, turn }) => [key, turn]));
    for (const turn of await this.caretaker.stoppedAmong(turns.values(), this.scope)) {
      const key = keyOf(turn);
      this.rotation.delete(turn);
      this.takeOut((sending) => sending.message.key === key);
      this.ranges.close(key);
    }
  }

  /** Out of the queue: from here on these do not leave. */
  private takeOut(matches: (sending: Sending) => boolean): void {
    const taken = this.queue.remove(matches);
    this.signing.drop(taken);
    for (const sending of taken) {
      this.withdrawn.push(sending);
      if (sending.row.in === 'range') sending.row.lease.isHalted = true;
    }
  }

  /** Takes back, in the ledger, the beginning of what did not leave; again until it could. */
  private async takeBack(): Promise<void> {
    if (this.withdrawn.length === 0) return;
    // One that failed has begun nothing here.
    await this.beginning.catch(() => undefined);
    for (const message of new Set(this.withdrawn.map((sending) => sending.message))) {
      await byItself(message.turn, 'What did not leave could not be taken back', () =>
        this.takeBackOf(message),
      );
    }
  }

  private async takeBackOf(message: ActiveMessage): Promise<void> {
    const list = this.withdrawn.filter((sending) => sending.message === message);
    const returned = await withdrawMessage(this.db, this.owner, message, list);
    const gone = new Set(list);
    this.withdrawn = this.withdrawn.filter((sending) => !gone.has(sending));
    for (const sending of list) this.rows.delete(sending);
    await this.warmUps.giveBack(message, returned);
  }

  // Feeding the relay.

  /** Begun, and not yet answered in the ledger: what would be unknown if this process were killed. */
  private get outstanding(): number {
    return this.queue.size + this.underWay + this.recorder.waiting;
  }

  /** The most of them there may be. */
  private step(): number {
    const { allowedPerSecond } = this.relay.figures();
    const perSecond = Math.min(allowedPerSecond, this.rate.perSecond());
    const standing = Math.min(this.relay.capacity, Math.ceil(allowedPerSecond * SLOW_SECONDS) + 1);
    return standing + Math.ceil(perSecond * STEP_SECONDS);
  }

  /** Asking for less would only make more statements. */
  private leastRoom(): number {
    return this.step() / 4;
  }

  private async feed(): Promise<void> {
    let failures = 0;
    while (!this.isClosing) {
      try {
        if (this.isPaused || !this.isRelayUsable || !(await this.feedOnce())) {
          await this.room.wait(POLL_MS);
        }
        failures = 0;
      } catch (error) {
        failures++;
        log.warn('Hand-overs could not be begun', { error: (error as Error).message });
        // What is wrong with one message is no reason for the others to wait.
        if (failures > 1) await new Promise((resolve) => setTimeout(resolve, AFTER_FAILURE_MS));
      }
    }
  }

  /** One step's worth; false where there is no room or nothing to send. */
  private async feedOnce(): Promise<boolean> {
    const urgent = await this.singles.begin(this.relay.capacity - this.queue.urgent);
    if (urgent.length > 0) {
      for (const sending of urgent) this.rows.add(sending);
      this.queue.pushUrgent(urgent);
      this.signing.add(urgent, true);
      this.relay.wake();
    }
    const room = this.step() - this.outstanding;
    if (room < this.leastRoom() || this.isClosing) return urgent.length > 0;
    const turn = this.rotation.next();
    if (!turn) return urgent.length > 0;
    const share = Math.ceil(room / this.rotation.size);
    const count = Math.min(room, Math.max(share, this.relay.capacity));
    this.beginning = this.begin(turn, count).then((sendings) => this.enqueue(sendings));
    try {
      await this.beginning;
    } catch (error) {
      // It comes back with the next look.
      this.rotation.delete(turn);
      throw error;
    }
    this.relay.wake();
    return true;
  }

  private enqueue(sendings: readonly Sending[]): void {
    const row = sendings[0]?.row;
    // What stands before them was taken out meanwhile: they must not leave either.
    if (row?.in === 'range' && row.lease.isHalted) this.withdrawn.push(...sendings);
    else {
      this.queue.push(sendings);
      this.signing.add(sendings);
      this.noteBusy();
    }
  }

  /** Begins hand-overs of one message; it leaves the rotation where there is nothing to begin. */
  private async begin(turn: Turn, count: number): Promise<Sending[]> {
    const message = await this.messages.get(turn.accountId, turn.messageId);
    if (typeof message === 'string') {
      if (message === 'content_unsendable') await this.caretaker.tellUnsendable(turn);
      this.rotation.delete(turn);
      return [];
    }
    if (this.recorder.isHeldUp(message)) {
      this.rotation.delete(turn);
      return [];
    }
    const now = clock.now();
    const again = await this.beginDeferred(message, count, now);
    if (again.length > 0) return again;
    const lease = await this.rangeOf(message, now);
    const most = lease ? Math.min(count, this.roomOf(lease.lane), lease.to - lease.startedTo) : 0;
    const sendings = lease && most > 0 ? await this.beginRange(lease, most, now) : [];
    // Nothing to begin, or stopped, or no longer this process's: looked at in the next round.
    if (sendings.length === 0) this.rotation.delete(turn);
    return sendings;
  }

  private roomOf(lane: number): number {
    return this.relay.roomFor?.(mailboxOfLane(lane)) ?? Infinity;
  }

  private async rangeOf(message: ActiveMessage, now: Date): Promise<HeldLease | undefined> {
    const heldUntil = this.held.get(message.key);
    if (heldUntil && heldUntil > now) {
      this.ranges.close(message.key);
      return undefined;
    }
    return this.ranges.next(message, this.rangeSize(), (lane) => this.roomOf(lane));
  }

  private async beginRange(lease: HeldLease, most: number, now: Date): Promise<Sending[]> {
    const { message } = lease;
    const granted = await this.warmUps.take(message, most);
    if (granted === 0) {
      this.ranges.close(message.key);
      return [];
    }
    let sendings: Sending[] = [];
    try {
      await this.noteStart(message);
      sendings = await this.ranges.begin(lease, granted, now);
    } finally {
      this.warmUps.keep(message, granted, sendings);
    }
    return sendings;
  }

  private async beginDeferred(message: ActiveMessage, count: number, now: Date) {
    if (!this.due.has(message.key)) return [];
    const { accountId, id } = message;
    const options = this.ranges.stepOf(message, now);
    const { rows: due, memberships } = await withMemberships(this.db, message, (db) =>
      ledger.beginDeferred(db, accountId, id, count, options),
    );
    if (due.length < count) this.due.delete(message.key);
    const sendings = deferredSendings(message, due, now, memberships);
    for (const sending of sendings) this.rows.add(sending);
    return sendings;
  }

  private rangeSize(): number {
    const size = Math.round(this.rate.perSecond() * RANGE_SECONDS);
    return Math.min(MOST_RANGE, Math.max(LEAST_RANGE, size));
  }

  private async noteStart(message: ActiveMessage): Promise<void> {
    if (message.hasStarted) return;
    const { accountId, id: messageId } = message;
    await inTransaction(this.db, async (tx) => {
      const at = clock.now();
      const row = await markStarted(tx, accountId, messageId, at);
      if (!row) return;
      const { kind, source_id: sourceId } = row;
      await messageStarted.announce(tx, { accountId, messageId, kind, sourceId, at });
    });
    message.hasStarted = true;
  }
}
