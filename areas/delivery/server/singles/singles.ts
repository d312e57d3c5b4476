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
import { laneOfSingle } from '../ledger/result-rows.ts';
import { type Sending, singleSending } from '../sender/sending.ts';
import {
  findAccountsWithWaiting,
  answerSingles,
  type DueAccount,
  dueAmong,
  findDueOfAccount,
  leaseMarketing,
  leaseUrgent,
  type SingleSubscriber,
  readSubscribers,
  returnSingles,
  type SingleRow,
} from './singles.sql.ts';
import type { ProviderCaps } from '../caps/provider-caps.ts';
import type { WarmUps } from '../warm-up/warm-ups.ts';
import { filterKinds, PRIORITY } from '../../message-kinds.ts';
import { findUnwantedTests } from '../ledger/test-recipients.ts';
import { statusChannelOf } from '../channels/addresses.sql.ts';
import type { Channel as StatusChannel } from '#areas/subscribers/shared.ts';

/**
 * Rows per statement, and statements per poll. The next poll continues after the last account.
 */
const ROWS_PER_PAGE = 100;
const MAX_PAGES = 300;

/**
 * Leases single sends of one account: either urgent or marketing ones.
 */
type LeaseSingles = (tx: Tx, accountId: number, lease: LeaseOptions) => Promise<SingleRow[]>;
type LeaseOptions = Parameters<typeof leaseMarketing>[2];

type People = ReadonlyMap<number, SingleSubscriber>;

type RowInLane = SingleRow & { lane: number };

/**
 * Handoffs of single sends of one message; `granted` is the number of rows that limits and warm-up
 * allowed.
 */
type StartedSends = { message: ActiveMessage; granted: number; sendings: Sending[] };

const WITHOUT_RESERVE = filterKinds((facts) => !facts.mayUseReserve);

export class Singles {
  private readonly db: Db;
  private readonly owner: string;
  private readonly messages: ActiveMessages;
  private readonly warmUps: WarmUps;
  private readonly caps: ProviderCaps;
  private readonly scope: Scope;
  private accounts = new Set<number>();
  /** The next poll continues after this account. */
  private after = 0;

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
   * Polls for due single sends. Records the accounts with urgent ones, and returns those with
   * marketing ones.
   */
  async findDue(now: Date): Promise<number[]> {
    const due = await this.due(now);
    for (const dueAccount of due) if (dueAccount.is_urgent) this.accounts.add(dueAccount.id);
    return due.filter((dueAccount) => dueAccount.is_marketing).map((dueAccount) => dueAccount.id);
  }

  private async due(now: Date): Promise<readonly DueAccount[]> {
    const { db, scope } = this;
    const { channel, accountId: onlyAccount } = scope;
    if (onlyAccount !== undefined) return findDueOfAccount(db, channel, onlyAccount, now);
    const waiting = new Set<number>();
    for (let page = 0; page < MAX_PAGES; page++) {
      const rows = await findAccountsWithWaiting(db, channel, {
        after: this.after,
        size: ROWS_PER_PAGE,
      });
      for (const accountId of rows) waiting.add(accountId);
      this.after = rows.length < ROWS_PER_PAGE ? 0 : (rows.at(-1) as number);
      if (this.after === 0) break;
    }
    return waiting.size === 0 ? [] : dueAmong(db, channel, [...waiting], now);
  }

  /**
   * Leases up to `limit` urgent single sends, from one account after another, and creates their
   * handoffs. With `isReserveOnly`, only kinds that may use the reserve of limits are leased.
   */
  async beginUrgent(limit: number, isReserveOnly: boolean): Promise<Sending[]> {
    const without = isReserveOnly ? WITHOUT_RESERVE : [];
    const leaseSingles: LeaseSingles = (tx, accountId, lease) =>
      leaseUrgent(tx, accountId, { ...lease, without });
    const sendings: Sending[] = [];
    while (this.accounts.size > 0 && sendings.length < limit) {
      const accountId = this.accounts.values().next().value as number;
      this.accounts.delete(accountId);
      const share = Math.ceil((limit - sendings.length) / (this.accounts.size + 1));
      const leased = await this.leaseOrReport(accountId, share, leaseSingles);
      sendings.push(...leased);
      // The account may have more of them, so it moves to the end of the queue.
      if (leased.length === share) this.accounts.add(accountId);
    }
    return sendings;
  }

  /** Leases up to `limit` marketing single sends of an account, and creates their handoffs. */
  beginMarketing(accountId: number, limit: number): Promise<Sending[]> {
    return this.leaseOrReport(accountId, limit, leaseMarketing);
  }

  /**
   * Leases single sends. A failure is only logged, so that it does not block those of other
   * accounts.
   */
  private async leaseOrReport(
    accountId: number,
    limit: number,
    take: LeaseSingles,
  ): Promise<Sending[]> {
    const started = await isolateFailure(
      'Could not start single emails',
      { accountId },
      async () => {
        const sets = await inTransaction(this.db, (tx) => this.lease(tx, accountId, limit, take));
        for (const { message, granted, sendings } of sets) {
          this.warmUps.keep(message, granted, sendings);
        }
        return sets.flatMap((set) => set.sendings);
      },
    );
    return started ?? [];
  }

  private async lease(
    tx: Tx,
    accountId: number,
    limit: number,
    take: LeaseSingles,
  ): Promise<StartedSends[]> {
    const now = clock.now();
    const until = new Date(now.getTime() + LEASE_MS);
    const { scope, owner } = this;
    const rows = await take(tx, accountId, { scope, limit, owner, now, until });
    if (rows.length === 0) return [];
    const ids = rows.flatMap((row) => (row.subscriber_id === null ? [] : [row.subscriber_id]));
    const people = new Map(
      ids.length === 0
        ? []
        : (await readSubscribers(tx, accountId, ids)).map((personOfSingle) => [
            personOfSingle.id,
            personOfSingle,
          ]),
    );
    const byMessage = new Map<ActiveMessage, SingleRow[]>();
    for (const row of rows) {
      const message = await this.messages.get(accountId, row.message_id, tx);
      if (typeof message === 'string') {
        await this.withhold(tx, accountId, this.withLane(row, people), message, now);
      } else byMessage.set(message, [...(byMessage.get(message) ?? []), row]);
    }
    const sets: StartedSends[] = [];
    for (const [message, messageRows] of byMessage) {
      const allowed = await this.withinCaps(tx, message, messageRows, people);
      const granted = await this.withinWarmUp(tx, message, allowed);
      const sendings = await this.renderSends(tx, message, granted, people, now);
      sets.push({ message, granted: granted.length, sendings });
    }
    return sets;
  }

  private withLane(row: SingleRow, people: People): RowInLane {
    const isEmail = this.scope.channel === 'email';
    const person =
      isEmail && row.subscriber_id !== null ? people.get(row.subscriber_id) : undefined;
    return { ...row, lane: laneOfSingle(row.recipient, person?.mailbox ?? null) };
  }

  /**
   * Returns the marketing single sends that the limits of mailbox providers allow now, and defers
   * the others.
   */
  private async withinCaps(
    tx: Tx,
    message: ActiveMessage,
    rows: readonly SingleRow[],
    people: People,
  ): Promise<readonly SingleRow[]> {
    if (message.facts.priority !== PRIORITY.marketing || !message.caps?.size) return rows;
    const { granted, late, until } = this.caps.takeFor(
      message,
      rows,
      (row) => this.withLane(row, people).lane,
    );
    const ids = late.map((row) => row.id);
    if (ids.length > 0) await returnSingles(tx, message.accountId, this.owner, ids, until);
    return granted;
  }

  /**
   * Returns the marketing single sends that the sending domain's warm-up allows now, and defers the
   * others.
   */
  private async withinWarmUp(
    tx: Tx,
    message: ActiveMessage,
    rows: readonly SingleRow[],
  ): Promise<readonly SingleRow[]> {
    if (message.facts.priority !== PRIORITY.marketing) return rows;
    const { granted, until } = await this.warmUps.reserveFor(tx, message, rows.length);
    const late = rows.slice(granted).map((row) => row.id);
    if (late.length > 0) await returnSingles(tx, message.accountId, this.owner, late, until);
    return rows.slice(0, granted);
  }

  private async renderSends(
    tx: Tx,
    message: ActiveMessage,
    rows: readonly SingleRow[],
    people: People,
    now: Date,
  ): Promise<Sending[]> {
    const channel = statusChannelOf(message.facts.channel, message.isMarketing);
    const needsConsent = message.facts.permission !== 'none';
    const keys = rows.map((row) => row.recipient.toLowerCase());
    const suppressed =
      needsConsent || message.kind === 'sms_answer'
        ? await findSuppressedAmong(tx, message.accountId, channel, keys)
        : message.kind === 'test'
          ? // Test emails respect opt-outs of recipients who are not users.
            await findUnwantedTests(tx, message.accountId, keys)
          : new Set<string>();
    // A negative ID stands for a single send without a subscriber, as in tracking.
    const idOf = (row: SingleRow) => row.subscriber_id ?? -row.id;
    // A test draws no coupon code from the pool.
    const mode = message.kind === 'test' ? 'show' : 'give';
    const memberships = message.hasMemberships
      ? await copyValues(tx, message.copies, rows.map(idOf), mode)
      : NO_MEMBERSHIPS;
    const make = (row: SingleRow) => {
      const person = row.subscriber_id === null ? undefined : people.get(row.subscriber_id);
      // An empty address means that the subscriber was erased.
      let skip = row.recipient === '' ? 'erased' : '';
      if (needsConsent && row.subscriber_id !== null) skip = statusSkip(person, channel, now);
      if (row.is_cancelled) skip = 'cancelled';
      if (skip === '' && suppressed.has(row.recipient.toLowerCase())) skip = 'suppressed';
      const fieldValues = person ? toSubscriberValues(person, message.fields) : {};
      const copyOf = memberships.get(idOf(row));
      const address = message.facts.channel === 'email' ? 'email' : 'phone';
      const values = { ...fieldValues, ...copyOf, [address]: row.recipient, ...variablesOf(row) };
      const location = person && { zone: person.timezone, country: person.country };
      return singleSending(message, this.withLane(row, people), values, skip, now, location);
    };
    const sendings: Sending[] = [];
    for (const row of rows) {
      try {
        sendings.push(make(row));
      } catch (error) {
        // A retry would fail as well, for example if the values were sealed with another secret.
        const { accountId, id: messageId } = message;
        const facts = { accountId, messageId, singleId: row.id, error: error as Error };
        log.error('Single email can no longer be rendered', facts);
        await this.withhold(tx, accountId, this.withLane(row, people), 'content_unsendable', now);
      }
    }
    return sendings;
  }

  /**
   * Records that a single send cannot be sent. It fails if its message does not exist or no longer
   * compiles, or if its copy cannot be rendered. If the sender is not verified, it is deferred, as
   * after a refused sender, and fails when it is outdated.
   */
  private async withhold(
    tx: Tx,
    accountId: number,
    row: RowInLane,
    why: Unsendable,
    now: Date,
  ): Promise<void> {
    const isUnproven = why === 'sender_not_verified';
    const attempt = { strikes: row.strikes, firstAt: row.created_at, isSingle: true };
    const verdict = isUnproven
      ? senderRefusedVerdict(attempt, now)
      : ({ state: 'failed' } as const);
    const answer = {
      id: row.id,
      state: verdict.state,
      strikes: row.strikes,
      nextAttemptAt: verdict.state === 'deferred' ? verdict.nextAttemptAt : null,
      code: '',
      reply: '',
      reason: isUnproven ? why : 'message_gone',
      relay: '',
    };
    const recorded = await answerSingles(tx, accountId, this.owner, [answer], now);
    if (recorded.length === 0) return;
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
  person: SingleSubscriber | undefined,
  channel: StatusChannel,
  now: Date,
): string {
  if (!person) return 'deleted';
  const status = person[`${channel}_status`];
  if (status === 'non-subscribed') return 'non_subscribed';
  if (status !== 'active') return status;
  const isMarketing = channel === 'email' || channel === 'sms';
  return isMarketing && person.paused_until && person.paused_until > now ? 'paused' : '';
}

function variablesOf(row: SingleRow): MergeValues {
  return row.sealed_variables ? unsealValues(row.sealed_variables) : (row.variables as MergeValues);
}
