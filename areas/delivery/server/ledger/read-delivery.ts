// Reads the delivery statistics of messages; each recipient counts in exactly one state.
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { readInstanceSetting } from '#platform/server/database/instance-settings.sql.ts';
import type { Exclusion, MessageState, RecipientState } from '../../shared.ts';
import type { MessageKind } from '../../message-kinds.ts';
import type { FrozenSmsMessage } from '../channels/sms.ts';
import { countUnknownReturned } from '../feedback/feedback.sql.ts';
import { hasOwnRelays } from '../relays/relay-visibility.ts';
import { listNextWaves } from '../waves/waves.sql.ts';
import { type LedgerDeliveryRow, findMessage, readDeliveryRows } from './messages.sql.ts';
import type { Frozen } from './messages.ts';

export type MessageDelivery = {
  messageId: number;
  kind: MessageKind;
  sourceId: number | null;
  state: MessageState;
  /**
   * One of STATE_REASONS. `details` may contain the relay's reply, except connection failures of
   * the installation's relays, which accounts do not see.
   */
  reason: string | null;
  details: {
    code?: string;
    reply?: string;
    count?: number;
    of?: number;
    limit?: number;
    until?: string;
  } | null;
  /** Whether all sending is stopped because a backup was restored (see `resumeInstance`). */
  isInstancePaused: boolean;
  /** Number of recipients; grows while `isAudienceDone` is false. */
  audience: number;
  isAudienceDone: boolean;
  /** Number of recipients by state; the sum is `audience`. */
  counts: Record<RecipientState, number>;
  /** Number of copies of unknown outcome that bounced later. */
  bouncedUnknown: number;
  /**
   * Number of recipients who wait for the warm-up of the sending domain or, for SMS, until quiet
   * hours end.
   */
  held: number;
  /**
   * The earliest end of that wait. If no recipient waits, the time when a relay's quota or the plan
   * has capacity again; null if the message does not wait for either.
   */
  heldUntil: Date | null;
  /** The next wave that opens later, with the number of its recipients. */
  nextWave: { at: Date; count: number } | null;
  /** Excluded subscribers by reason. */
  excluded: Partial<Record<Exclusion, number>>;
  startedAt: Date | null;
  firstHandedOverAt: Date | null;
  finishedAt: Date | null;
};

export async function readDelivery(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<MessageDelivery[]> {
  if (messageIds.length === 0) return [];
  const rows = await readDeliveryRows(db, accountId, messageIds, clock.now());
  const isInstancePaused = (await readInstanceSetting(db, 'sending_paused')) !== undefined;
  const isOperators = rows.some(isUnanswered) && !(await hasOwnRelays(db, accountId));
  const unknown = rows.filter((row) => row.unknown > 0).map((row) => row.id);
  const returnedCounts = await countUnknownReturned(db, accountId, unknown);
  const next = await readNextWaves(db, accountId, rows);
  return rows.map((row) => {
    const delivery = {
      ...present(row, isInstancePaused, returnedCounts.get(row.id) ?? 0),
      nextWave: next.get(row.id) ?? null,
    };
    if (!isOperators || !isUnanswered(row)) return delivery;
    const { reply: _, ...details } = delivery.details ?? {};
    return { ...delivery, details };
  });
}

/** Reads the next waves of the unfinished messages that have waves. */
async function readNextWaves(db: Reader, accountId: number, rows: readonly LedgerDeliveryRow[]) {
  const openRows = rows.filter((row) => row.opens_at !== null && row.finished_at === null);
  if (openRows.length === 0) return new Map<number, MessageDelivery['nextWave']>();
  const ids = openRows.map((row) => row.id);
  const waves = await listNextWaves(db, accountId, ids, clock.now());
  return new Map(waves.map(({ message_id, at, count }) => [message_id, { at, count }]));
}

/** Returns whether the details describe a failed connection, not a relay's reply. */
function isUnanswered({ state_details }: LedgerDeliveryRow): boolean {
  const details = state_details as MessageDelivery['details'];
  return details?.reply !== undefined && !details.code;
}

function present(
  row: LedgerDeliveryRow,
  isInstancePaused: boolean,
  bouncedUnknown: number,
): Omit<MessageDelivery, 'nextWave'> {
  const { audience, counts } = row.is_shared ? countSingles(row) : countRanges(row);
  const isWarmingUp = row.state === 'waiting' && row.state_reason === 'warm_up';
  const isQuiet = row.quiet_count > 0 && row.state !== 'cancelled';
  return {
    messageId: row.id,
    kind: row.kind,
    sourceId: row.source_id,
    state: row.state,
    reason: row.state_reason,
    details: row.state_details as MessageDelivery['details'],
    isInstancePaused,
    audience,
    isAudienceDone: row.is_audience_complete || row.is_shared,
    counts,
    bouncedUnknown,
    held: isWarmingUp ? counts.pending : isQuiet ? row.quiet_count : 0,
    heldUntil: isWarmingUp ? row.held_until : isQuiet ? row.quiet_until : limitEnds(row),
    excluded: row.excluded,
    startedAt: row.started_at,
    firstHandedOverAt: row.first_handed_over_at,
    finishedAt: row.finished_at,
  };
}

/**
 * Returns when a relay's quota or the plan has capacity again, as recorded when the wait began;
 * null if the message does not wait for either.
 */
function limitEnds(row: LedgerDeliveryRow): Date | null {
  const until = (row.state_details as MessageDelivery['details'])?.until;
  const isWaiting = row.state === 'waiting' || row.state_reason === 'plan_limit';
  return isWaiting && until !== undefined ? new Date(until) : null;
}

function countSingles(row: LedgerDeliveryRow) {
  const counts = {
    pending: row.pending_singles,
    handing_over: row.leased_singles + row.retrying_singles,
    accepted: row.accepted,
    deferred: row.deferred - row.retrying_singles,
    failed: row.failed,
    skipped: row.skipped,
    unknown: row.unknown,
  };
  return { audience: row.audience + row.pending_singles + row.leased_singles, counts };
}

function countRanges(row: LedgerDeliveryRow) {
  const { audience } = row;
  const startedCount =
    row.accepted +
    row.deferred +
    row.failed +
    row.skipped +
    row.unknown +
    row.in_flight +
    row.lost_in_flight;
  const notStarted = audience - startedCount;
  const isCancelled = row.state === 'cancelled';
  const counts = {
    pending: isCancelled ? 0 : notStarted,
    handing_over: row.in_flight + row.retries_in_flight,
    accepted: row.accepted,
    deferred: row.deferred - row.retries_in_flight,
    failed: row.failed,
    skipped: row.skipped + (isCancelled ? notStarted : 0),
    unknown: row.unknown + row.lost_in_flight,
  };
  return { audience, counts };
}

/** Returns the subject of an email with its merge tags, or the title of an SMS. */
export async function readSubject(
  db: Reader,
  accountId: number,
  messageId: number,
): Promise<string> {
  const row = await findMessage(db, accountId, messageId);
  const { source, text } = (row?.frozen ?? {}) as Partial<Frozen & FrozenSmsMessage>;
  return source?.subject ?? text?.title ?? '';
}
