// Finds due single sends, leases them row by row, and creates their handoffs.
import { copyValues, toSubscriberValues, type MergeValues } from '#areas/content/server/index.ts';
import { findSuppressedAmong } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import { log } from '#platform/server/log.ts';
import type { ActiveMessage } from '../sender/active-message.ts';
import type { ActiveMessages, Unsendable } from '../sender/active-messages.ts';
import { LEASE_MS } from '../sender/lease-keeper.ts';
import type { Scope } from '../ledger/open-messages.sql.ts';
import { NO_MEMBERSHIPS } from '../sender/memberships.ts';
import { addCounts } from '../ledger/messages.sql.ts';
import { unsealValues } from '../ledger/messages.ts';
import { senderRefusedVerdict } from '../ledger/outcomes.ts';
import { getSingleLane } from '../ledger/result-rows.ts';
import { type LedgerHandoff, toSingleHandoff } from '../sender/sending.ts';
import {
  findAccountsWithWaiting,
  recordSingleSendResults,
  type DueAccount,
  findDueAmong,
  findDueOfAccount,
  leaseMarketing,
  leaseUrgent,
  type SingleSubscriber,
  readSubscribers,
  returnSingles,
  type SingleSendRow,
} from './singles.sql.ts';
import type { ProviderCaps } from '../caps/provider-caps.ts';
import type { WarmUps } from '../warm-up/warm-ups.ts';
import { filterKinds, PRIORITY } from '../../message-kinds.ts';
import { findUnwantedTests } from '../ledger/test-recipients.ts';
import { getStatusChannel } from '../channels/addresses.sql.ts';
import type { Channel as StatusChannel } from '#areas/subscribers/shared.ts';

/**
 * Maximum number of rows per statement, and of statements per poll. The next poll continues after
 * the last account.
 */
const ROWS_PER_PAGE = 100;
const MAX_PAGES = 300;

/**
 * Leases single sends of one account: either urgent or marketing ones.
 */
type LeaseSingles = (tx: Tx, accountId: number, lease: LeaseOptions) => Promise<SingleSendRow[]>;
type LeaseOptions = Parameters<typeof leaseMarketing>[2];

type SubscribersById = ReadonlyMap<number, SingleSubscriber>;

type RowInLane = SingleSendRow & { lane: number };

/**
 * Handoffs of single sends of one message. `grantedCount` is the number of rows that limits and
 * warm-up allowed.
 */
type StartedSends = { message: ActiveMessage; grantedCount: number; handoffs: LedgerHandoff[] };

const WITHOUT_RESERVE = filterKinds((rules) => !rules.mayUseReserve);

export class Singles {
  private readonly db: Db;
  private readonly owner: string;
  private readonly messages: ActiveMessages;
  private readonly warmUps: WarmUps;
  private readonly caps: ProviderCaps;
  private readonly scope: Scope;
  private accounts = new Set<number>();
  /** The next poll continues after this account. */
  private lastAccountId = 0;

  constructor(
    db: Db,
    owner: string,
    scope: Scope,
    messages: ActiveMessages,
    limits: { warmUps: WarmUps; caps: ProviderCaps },
  ) {
    this.db = db;
    this.owner = owner;
    this.scope = scope;
    this.messages = messages;
    this.warmUps = limits.warmUps;
    this.caps = limits.caps;
  }

  /** Whether accounts have due urgent single sends. */
  get hasWork(): boolean {
    return this.accounts.size > 0;
  }

  /**
   * Polls for due single sends. Records accounts with urgent single sends and returns accounts with
   * marketing ones.
   */
  async findDue(now: Date): Promise<number[]> {
    const dueAccounts = await this.findDueAccounts(now);
    for (const dueAccount of dueAccounts)
      if (dueAccount.is_urgent) this.accounts.add(dueAccount.id);
    return dueAccounts
      .filter((dueAccount) => dueAccount.is_marketing)
      .map((dueAccount) => dueAccount.id);
  }

  private async findDueAccounts(now: Date): Promise<readonly DueAccount[]> {
    const { db, scope } = this;
    const { channel, accountId: onlyAccount } = scope;
    if (onlyAccount !== undefined) return findDueOfAccount(db, channel, onlyAccount, now);
    const waiting = new Set<number>();
    for (let page = 0; page < MAX_PAGES; page++) {
      const rows = await findAccountsWithWaiting(db, channel, {
        after: this.lastAccountId,
        size: ROWS_PER_PAGE,
      });
      for (const accountId of rows) waiting.add(accountId);
      this.lastAccountId = rows.length < ROWS_PER_PAGE ? 0 : (rows.at(-1) as number);
      if (this.lastAccountId === 0) break;
    }
    return waiting.size === 0 ? [] : findDueAmong(db, channel, [...waiting], now);
  }

  /**
   * Leases up to `limit` urgent single sends, from one account after another, and creates their
   * handoffs. With `isReserveOnly`, only kinds that may use the reserve of limits are leased.
   */
  async startUrgent(limit: number, isReserveOnly: boolean): Promise<LedgerHandoff[]> {
    const excludedKinds = isReserveOnly ? WITHOUT_RESERVE : [];
    const leaseSingles: LeaseSingles = (tx, accountId, lease) =>
      leaseUrgent(tx, accountId, { ...lease, excludedKinds });
    const handoffs: LedgerHandoff[] = [];
    while (this.accounts.size > 0 && handoffs.length < limit) {
      const accountId = this.accounts.values().next().value as number;
      this.accounts.delete(accountId);
      const fairCount = Math.ceil((limit - handoffs.length) / (this.accounts.size + 1));
      const leasedSendings = await this.leaseOrReport(accountId, fairCount, leaseSingles);
      handoffs.push(...leasedSendings);
      // The account may have more due single sends, so it moves to the end of the queue.
      if (leasedSendings.length === fairCount) this.accounts.add(accountId);
    }
    return handoffs;
  }

  /** Leases up to `limit` marketing single sends of an account and creates their handoffs. */
  startMarketing(accountId: number, limit: number): Promise<LedgerHandoff[]> {
    return this.leaseOrReport(accountId, limit, leaseMarketing);
  }

  /**
   * Leases single sends. A failure is only logged, so that it does not block other accounts.
   */
  private async leaseOrReport(
    accountId: number,
    limit: number,
    leaseRows: LeaseSingles,
  ): Promise<LedgerHandoff[]> {
    const startedSendings = await isolateFailure(
      'Could not start single emails',
      { accountId },
      async () => {
        const sets = await inTransaction(this.db, (tx) =>
          this.lease(tx, accountId, limit, leaseRows),
        );
        for (const { message, grantedCount, handoffs } of sets) {
          this.warmUps.recordUse(message, grantedCount, handoffs);
        }
        return sets.flatMap(({ handoffs }) => handoffs);
      },
    );
    return startedSendings ?? [];
  }

  private async lease(
    tx: Tx,
    accountId: number,
    limit: number,
    leaseRows: LeaseSingles,
  ): Promise<StartedSends[]> {
    const now = clock.now();
    const until = new Date(now.getTime() + LEASE_MS);
    const { scope, owner } = this;
    const rows = await leaseRows(tx, accountId, { scope, limit, owner, now, leasedUntil: until });
    if (rows.length === 0) return [];
    const ids = rows.flatMap((row) => (row.subscriber_id === null ? [] : [row.subscriber_id]));
    const subscribers = new Map(
      ids.length === 0
        ? []
        : (await readSubscribers(tx, accountId, ids)).map((personOfSingle) => [
            personOfSingle.id,
            personOfSingle,
          ]),
    );
    const byMessage = new Map<ActiveMessage, SingleSendRow[]>();
    for (const row of rows) {
      const message = await this.messages.get(accountId, row.message_id, tx);
      if (typeof message === 'string') {
        await this.recordUnsendable(tx, accountId, this.withLane(row, subscribers), message, now);
      } else byMessage.set(message, [...(byMessage.get(message) ?? []), row]);
    }
    const sets: StartedSends[] = [];
    for (const [message, messageRows] of byMessage) {
      const withinCaps = await this.limitByCaps(tx, message, messageRows, subscribers);
      const withinLimits = await this.limitByWarmUp(tx, message, withinCaps);
      const handoffs = await this.renderSends(tx, message, withinLimits, subscribers, now);
      sets.push({ message, grantedCount: withinLimits.length, handoffs });
    }
    return sets;
  }

  private withLane(row: SingleSendRow, subscribers: SubscribersById): RowInLane {
    const isEmail = this.scope.channel === 'email';
    const subscriber =
      isEmail && row.subscriber_id !== null ? subscribers.get(row.subscriber_id) : undefined;
    return { ...row, lane: getSingleLane(row.recipient, subscriber?.mailbox ?? null) };
  }

  /**
   * Returns the single sends that may be sent now within the limits at mailbox providers, and
   * defers the others. Only marketing single sends are limited.
   */
  private async limitByCaps(
    tx: Tx,
    message: ActiveMessage,
    rows: readonly SingleSendRow[],
    subscribers: SubscribersById,
  ): Promise<readonly SingleSendRow[]> {
    if (message.kindRules.priority !== PRIORITY.marketing || !message.providerCaps?.size)
      return rows;
    const { granted, late, until } = this.caps.acquireFor(
      message,
      rows,
      (row) => this.withLane(row, subscribers).lane,
    );
    const ids = late.map((row) => row.id);
    if (ids.length > 0) await returnSingles(tx, message.accountId, this.owner, ids, until);
    return granted;
  }

  /**
   * Returns the single sends that may be sent now within the sending domain's warm-up, and defers
   * the others. Only marketing single sends are limited.
   */
  private async limitByWarmUp(
    tx: Tx,
    message: ActiveMessage,
    rows: readonly SingleSendRow[],
  ): Promise<readonly SingleSendRow[]> {
    if (message.kindRules.priority !== PRIORITY.marketing) return rows;
    const { granted, until } = await this.warmUps.reserveFor(tx, message, rows.length);
    const lateIds = rows.slice(granted).map((row) => row.id);
    if (lateIds.length > 0) await returnSingles(tx, message.accountId, this.owner, lateIds, until);
    return rows.slice(0, granted);
  }

  private async renderSends(
    tx: Tx,
    message: ActiveMessage,
    rows: readonly SingleSendRow[],
    subscribers: SubscribersById,
    now: Date,
  ): Promise<LedgerHandoff[]> {
    const channel = getStatusChannel(message.kindRules.channel, message.isMarketing);
    const needsConsent = message.kindRules.permission !== 'none';
    const keys = rows.map((row) => row.recipient.toLowerCase());
    const suppressedKeys =
      needsConsent || message.kind === 'sms_answer'
        ? await findSuppressedAmong(tx, message.accountId, channel, keys)
        : message.kind === 'test'
          ? // Test emails respect opt-outs of recipients who are not users.
            await findUnwantedTests(tx, message.accountId, keys)
          : new Set<string>();
    // A negative ID identifies a single send without a subscriber, as in tracking.
    const idOf = (row: SingleSendRow) => row.subscriber_id ?? -row.id;
    // A test draws no coupon code from the pool.
    const mode = message.kind === 'test' ? 'preview' : 'send';
    const memberships = message.hasMemberships
      ? await copyValues(tx, message.copies, rows.map(idOf), mode)
      : NO_MEMBERSHIPS;
    const make = (row: SingleSendRow) => {
      const subscriber =
        row.subscriber_id === null ? undefined : subscribers.get(row.subscriber_id);
      // An empty address means that the subscriber was erased.
      let skip = row.recipient === '' ? 'erased' : '';
      if (needsConsent && row.subscriber_id !== null) skip = statusSkip(subscriber, channel, now);
      if (row.is_cancelled) skip = 'cancelled';
      if (skip === '' && suppressedKeys.has(row.recipient.toLowerCase())) skip = 'suppressed';
      const fieldValues = subscriber ? toSubscriberValues(subscriber, message.fields) : {};
      const copyOf = memberships.get(idOf(row));
      const address = message.kindRules.channel === 'email' ? 'email' : 'phone';
      const values = { ...fieldValues, ...copyOf, [address]: row.recipient, ...variablesOf(row) };
      const location = subscriber && { zone: subscriber.timezone, country: subscriber.country };
      return toSingleHandoff(message, this.withLane(row, subscribers), values, skip, now, location);
    };
    const handoffs: LedgerHandoff[] = [];
    for (const row of rows) {
      try {
        handoffs.push(make(row));
      } catch (error) {
        // A retry would also fail, for example if the values were sealed with another secret.
        const { accountId, id: messageId } = message;
        const logFields = { accountId, messageId, singleId: row.id, error: error as Error };
        log.error('Single email can no longer be rendered', logFields);
        await this.recordUnsendable(
          tx,
          accountId,
          this.withLane(row, subscribers),
          'content_unsendable',
          now,
        );
      }
    }
    return handoffs;
  }

  /**
   * Records that a single send cannot be sent. It fails if its message does not exist or no longer
   * compiles, or if its copy cannot be rendered. If the sender is not verified, it is deferred, as
   * after a refused sender, and fails when it is outdated.
   */
  private async recordUnsendable(
    tx: Tx,
    accountId: number,
    row: RowInLane,
    reason: Unsendable,
    now: Date,
  ): Promise<void> {
    const isUnproven = reason === 'sender_not_verified';
    const attempt = { strikes: row.strikes, firstAt: row.created_at, isSingle: true };
    const verdict = isUnproven
      ? senderRefusedVerdict(attempt, now)
      : ({ state: 'failed' } as const);
    const singleResult = {
      id: row.id,
      state: verdict.state,
      strikes: row.strikes,
      nextAttemptAt: verdict.state === 'deferred' ? verdict.nextAttemptAt : null,
      code: '',
      reply: '',
      reason: isUnproven ? reason : 'message_gone',
      relay: '',
    };
    const recordedIds = await recordSingleSendResults(
      tx,
      accountId,
      this.owner,
      [singleResult],
      now,
    );
    if (recordedIds.length === 0) return;
    const isWaiting = verdict.state === 'deferred';
    await addCounts(tx, accountId, row.message_id, {
      audience: row.is_counted ? 0 : 1,
      lanes: [
        {
          lane: row.lane,
          accepted: 0,
          deferred: (isWaiting ? 1 : 0) - (row.is_counted ? 1 : 0),
          failed: isWaiting ? 0 : 1,
        },
      ],
    });
  }
}

function statusSkip(
  subscriber: SingleSubscriber | undefined,
  channel: StatusChannel,
  now: Date,
): string {
  if (!subscriber) return 'deleted';
  const status = subscriber[`${channel}_status`];
  if (status === 'non-subscribed') return 'non_subscribed';
  if (status !== 'active') return status;
  const isMarketing = channel === 'email' || channel === 'sms';
  return isMarketing && subscriber.paused_until && subscriber.paused_until > now ? 'paused' : '';
}

function variablesOf(row: SingleSendRow): MergeValues {
  return row.sealed_variables ? unsealValues(row.sealed_variables) : (row.variables as MergeValues);
}
