// Writes the results of attempts in sets: the results, counts, deferrals, bounces and events of one
// message in one transaction. Sets whose write failed are retained and retried.
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  isUniqueViolation,
  type Tx,
} from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import type { ActiveMessage } from '../sender/active-message.ts';
import { ResultQueue } from './result-queue.ts';
import {
  type AttemptResult,
  getResultCode,
  toResultColumns,
  countResults,
  toDeferral,
  countByLane,
  SKIPPED,
} from './result-rows.ts';
import { finishIfComplete } from './audience.ts';
import { checkBreaker } from './breaker.ts';
import { haltRefusedMessage, reopenMessage, skipWaiting } from './control.ts';
import { messageProgressed } from '../events.ts';
import { correctExisting } from './late-results.ts';
import { finishLeases } from './ledger.sql.ts';
import { addCounts, lockState } from './messages.sql.ts';
import { computeVerdict } from './outcomes.ts';
import type { HandoffResult } from '../relays/provider.ts';
import * as results from './results.sql.ts';
import type { RangeLease, SendDelay, LedgerHandoff } from '../sender/sending.ts';
import { releaseAnswered } from './sms-credit.ts';
import { chargeAccepted, saveSms } from './sms.ts';
import { recordSingleSendResults } from '../singles/singles.sql.ts';
import { publishResults } from './publish-results.ts';

const NOTIFY_EVERY_MS = 250;

export class Recorder {
  private readonly db: Db;
  private readonly owner: string;
  private readonly relayName: string;
  private readonly onWritten: (handoff: LedgerHandoff) => void;
  private readonly queue = new ResultQueue((message, list) => this.write(message, list));
  private readonly notifiedAt = new WeakMap<ActiveMessage, number>();

  /** `onWritten` runs for each result committed to the ledger. */
  constructor(
    db: Db,
    owner: string,
    relayName: string,
    onWritten: (handoff: LedgerHandoff) => void,
  ) {
    this.db = db;
    this.owner = owner;
    this.relayName = relayName;
    this.onWritten = onWritten;
  }

  /**
   * Number of results that wait to be written; results of a message whose write is being retried do
   * not count.
   */
  get pendingCount(): number {
    return this.queue.pendingCount;
  }

  /**
   * Returns true while writes for this message fail: no more of its handoffs may start, and its
   * results do not count as waiting.
   */
  isRetrying(message: ActiveMessage): boolean {
    return this.queue.isRetrying(message);
  }

  recordResult(handoff: LedgerHandoff, result: HandoffResult): void {
    const { row } = handoff;
    const now = clock.now();
    const firstAt = row.kind === 'range' ? now : row.firstAt;
    const attempt = {
      ...{ strikes: handoff.strikes, firstAt, isSingle: row.kind === 'singles' },
      isSms: handoff.message.kindRules.channel === 'sms',
    };
    this.queue.add({ handoff, result, verdict: computeVerdict(attempt, result, now) });
  }

  recordSkip(handoff: LedgerHandoff): void {
    this.queue.add({ handoff, result: null, verdict: { ...SKIPPED, reason: handoff.skipReason } });
  }

  /**
   * Records that the copy is not sent before `until`: it waits in the ledger as deferred, which
   * does not count as a failed attempt.
   */
  recordDelay(handoff: LedgerHandoff, { until, reason }: SendDelay): void {
    const { strikes } = handoff;
    const verdict = {
      ...SKIPPED,
      state: 'deferred',
      strikes,
      nextAttemptAt: until,
      reason,
    } as const;
    this.queue.add({ handoff, result: null, verdict });
  }

  /** Writes all queued results, but stops after `withinMs`. */
  drain(withinMs: number): Promise<void> {
    return this.queue.drain(withinMs);
  }

  private async write(message: ActiveMessage, list: readonly AttemptResult[]): Promise<void> {
    const leases = new Map<RangeLease, number>();
    for (const { handoff } of list) {
      if (handoff.row.kind !== 'range') continue;
      leases.set(handoff.row.lease, (leases.get(handoff.row.lease) ?? 0) + 1);
    }
    const finishedLeases = [...leases].filter(
      ([lease, count]) => lease.unwrittenCount === count && lease.startedTo === lease.to,
    );
    if (!(await this.append(message, list))) await this.writeInTransaction(message, list);
    if (finishedLeases.length > 0) {
      const keys = finishedLeases.map(([lease]) => lease);
      await finishLeases(this.db, message.accountId, message.id, keys, this.owner);
    }
    for (const [lease, count] of leases) lease.unwrittenCount -= count;
    this.queue.confirmWritten(list.length);
    for (const { handoff } of list) this.onWritten(handoff);
    const isOver =
      finishedLeases.length > 0 || list.some(({ handoff }) => handoff.row.kind === 'deferrals');
    if (isOver) await this.finish(message);
  }

  /**
   * Finishes the message if it has no open work. A failure is only logged: the results are written,
   * and the lease keeper finishes such messages later.
   */
  private async finish({ accountId, id }: ActiveMessage): Promise<void> {
    try {
      await inTransaction(this.db, (tx) => finishIfComplete(tx, accountId, id));
    } catch (error) {
      log.warn('Could not finish a message; retrying', { reason: (error as Error).message });
    }
  }

  /**
   * Writes the usual case in one statement: first attempts, each either skipped or an accepted
   * email. Returns false in all other cases, or if one of the attempts already has a result.
   */
  private async append(message: ActiveMessage, list: readonly AttemptResult[]): Promise<boolean> {
    const isPlain = list.every(
      ({ handoff, verdict: { state } }) =>
        handoff.row.kind === 'range' &&
        (state === 'skipped' || (state === 'accepted' && message.kindRules.channel === 'email')),
    );
    if (!isPlain) return false;
    try {
      await results.appendResults(this.db, this.createBatch(message, list));
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
    await this.reportProgress(message);
    return true;
  }

  private createBatch(message: ActiveMessage, list: readonly AttemptResult[]) {
    return {
      accountId: message.accountId,
      messageId: message.id,
      at: clock.now(),
      columns: toResultColumns(list, this.relayName),
      counts: countResults(list),
      lanes: countByLane(list),
    };
  }

  private async reportProgress(message: ActiveMessage): Promise<void> {
    const now = performance.now();
    if (now - (this.notifiedAt.get(message) ?? 0) < NOTIFY_EVERY_MS) return;
    this.notifiedAt.set(message, now);
    const { accountId, id: messageId, kind, sourceId } = message;
    const event = { accountId, messageId, kind, sourceId, at: clock.now() };
    // A failure is ignored: listeners only refresh what they show, and the ledger is correct
    // anyway.
    await inTransaction(this.db, (tx) => messageProgressed.announce(tx, event)).catch(() => {});
  }

  private async writeInTransaction(
    message: ActiveMessage,
    list: readonly AttemptResult[],
  ): Promise<void> {
    const isSingle = list.some(({ handoff }) => handoff.row.kind === 'singles');
    await inTransaction(this.db, (tx) =>
      isSingle ? this.writeSingles(tx, message, list) : this.writeRange(tx, message, list),
    );
    await this.reportProgress(message);
  }

  private async writeRange(
    tx: Tx,
    message: ActiveMessage,
    list: readonly AttemptResult[],
  ): Promise<void> {
    const { accountId, id } = message;
    // Locks the message before its counts, in the order that `lockState` describes.
    const state = await lockState(tx, accountId, id);
    const resultBatch = this.createBatch(message, list);
    const { at } = resultBatch;
    await saveSms(tx, message, list);
    const isNew = await results.addResults(tx, resultBatch);
    const countedResults = isNew
      ? list
      : await correctExisting(tx, message, list, this.relayName, at);
    const deferredResults = countedResults.filter(({ verdict }) => verdict.state === 'deferred');
    if (deferredResults.length > 0) {
      const deferrals = deferredResults.map((result) => toDeferral(result, at));
      await results.putDeferrals(tx, accountId, id, deferrals);
      // No sender would retry deferrals of a canceled message, so they are skipped.
      if (state === 'cancelled') await skipWaiting(tx, accountId, id, at);
      // If these replies arrived after the message had finished, it becomes active again, so that
      // senders retry the deferrals.
      if (state === 'finished') await reopenMessage(tx, accountId, id);
    }
    const settledRows = countedResults.flatMap(({ handoff: { row }, verdict }) =>
      row.kind === 'deferrals' && verdict.state !== 'deferred' ? [row] : [],
    );
    if (settledRows.length > 0) await results.deleteDeferrals(tx, accountId, id, settledRows);
    await publishResults(tx, message, countedResults, at);
    await this.haltRefused(tx, message, list);
    const hasFailed = list.some(({ verdict: { state } }) => state === 'failed');
    if (hasFailed) await checkBreaker(tx, accountId, id);
    await chargeAccepted(tx, message, list);
  }

  /**
   * If a message's sender was refused, pauses the message and stores the reply to the latest
   * refused handoff.
   */
  private async haltRefused(
    tx: Tx,
    { accountId, id }: ActiveMessage,
    list: readonly AttemptResult[],
  ): Promise<void> {
    const refusals = list.filter(({ verdict }) => verdict.isSenderRefused);
    const byStart = refusals.toSorted(
      (a, b) => Number(a.handoff.startedAt) - Number(b.handoff.startedAt),
    );
    const { result, handoff } = byStart.at(-1) ?? {};
    if (!result || !handoff) return;
    const details = { code: getResultCode(result), reply: result.reply };
    await haltRefusedMessage(tx, accountId, id, details, handoff.startedAt);
  }

  private async writeSingles(
    tx: Tx,
    message: ActiveMessage,
    list: readonly AttemptResult[],
  ): Promise<void> {
    const { accountId, id } = message;
    const at = clock.now();
    const singleResults = list.map(({ handoff, verdict, result }) => ({
      id: (handoff.row as { id: number }).id,
      state: verdict.state,
      strikes: verdict.strikes,
      nextAttemptAt: verdict.nextAttemptAt,
      code: result ? getResultCode(result) : '',
      reply: result?.reply ?? '',
      reason: verdict.reason ?? '',
      relay: result?.relay ?? this.relayName,
    }));
    await saveSms(tx, message, list);
    const answeredIds = new Set(
      await recordSingleSendResults(tx, accountId, this.owner, singleResults, at),
    );
    const countedResults = list.filter(({ handoff }) =>
      answeredIds.has((handoff.row as { id: number }).id),
    );
    const { skipped, unknown } = countResults(countedResults);
    const isNew = countedResults.filter(
      ({ handoff: { row } }) => row.kind === 'singles' && !row.wasCountedBefore,
    );
    await addCounts(tx, accountId, id, {
      ...{ audience: isNew.length, skipped, unknown },
      lanes: countByLane(countedResults),
    });
    await publishResults(tx, message, countedResults, at);
    await chargeAccepted(tx, message, list);
    if (message.credit) await releaseAnswered(tx, accountId, id);
  }
}
