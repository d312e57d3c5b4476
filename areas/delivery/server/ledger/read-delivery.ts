// How messages are doing: each recipient counted in exactly one state.
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database.ts';
import { readInstanceSetting } from '#platform/server/instance-settings.sql.ts';
import type { Exclusion, MessageState, RecipientState } from '../../limits.ts';
import type { MessageKind } from '../../message-kinds.ts';
import type { FrozenText } from '../channels/sms.ts';
import { countUnknownReturned } from '../feedback/feedback.sql.ts';
import { hasOwnRelays } from '../relays/shown-relays.ts';
import { type DeliveryRow, findMessage, readDeliveryRows } from './messages.sql.ts';
import type { Frozen } from './messages.ts';

export type Delivery = {
  messageId: number;
  kind: MessageKind;
  sourceId: number | null;
  state: MessageState;
  /**
   * A STATE_REASONS word, with the relay's own words in `details` where it was the relay; why the
   * installation's cannot be reached is not told to accounts.
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
  /** Nothing at all is sent, since this installation was restored (see `resumeInstance`). */
  isInstancePaused: boolean;
  /** How many recipients there are; grows while `isAudienceDone` is false. */
  audience: number;
  isAudienceDone: boolean;
  /** They sum to `audience`. */
  counts: Record<RecipientState, number>;
  /** How many of the unknown ones came back since. */
  unknownReturned: number;
  /**
   * How many wait for their sending domain's warm-up or, as SMS, for the morning of their country; until when the first
   * of them, or a quota, wait.
   */
  held: number;
  heldUntil: Date | null;
  /** Left out of the audience, by reason. */
  excluded: Partial<Record<Exclusion, number>>;
  startedAt: Date | null;
  firstHandedOverAt: Date | null;
  finishedAt: Date | null;
};

export async function readDelivery(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<Delivery[]> {
  if (messageIds.length === 0) return [];
  const rows = await readDeliveryRows(db, accountId, messageIds, clock.now());
  const isInstancePaused = (await readInstanceSetting(db, 'sending_paused')) !== undefined;
  const isOperators = rows.some(isUnanswered) && !(await hasOwnRelays(db, accountId));
  const unknown = rows.filter((row) => row.unknown > 0).map((row) => row.id);
  const returned = await countUnknownReturned(db, accountId, unknown);
  return rows.map((row) => {
    const delivery = present(row, isInstancePaused, returned.get(row.id) ?? 0);
    if (!isOperators || !isUnanswered(row)) return delivery;
    const { reply: _, ...details } = delivery.details ?? {};
    return { ...delivery, details };
  });
}

/** Are its words those of a connection that failed, not of a relay? */
function isUnanswered({ state_details }: DeliveryRow): boolean {
  const details = state_details as Delivery['details'];
  return details?.reply !== undefined && !details.code;
}

function present(row: DeliveryRow, isInstancePaused: boolean, unknownReturned: number): Delivery {
  const { audience, counts } = row.is_shared ? countSingles(row) : countRanges(row);
  const isHeld = row.state === 'waiting' && row.state_reason === 'warm_up';
  const isQuiet = row.quiet > 0 && row.state !== 'cancelled';
  return {
    messageId: row.id,
    kind: row.kind,
    sourceId: row.source_id,
    state: row.state,
    reason: row.state_reason,
    details: row.state_details as Delivery['details'],
    isInstancePaused,
    audience,
    isAudienceDone: row.audience_done || row.is_shared,
    counts,
    unknownReturned,
    held: isHeld ? counts.pending : isQuiet ? row.quiet : 0,
    heldUntil: isHeld ? row.held_until : isQuiet ? row.quiet_until : limitEnds(row),
    excluded: row.excluded,
    startedAt: row.started_at,
    firstHandedOverAt: row.first_handed_over_at,
    finishedAt: row.finished_at,
  };
}

/** When a relay's hour or day has room again; told when the wait began. */
function limitEnds(row: DeliveryRow): Date | null {
  const until = (row.state_details as Delivery['details'])?.until;
  return row.state === 'waiting' && until !== undefined ? new Date(until) : null;
}

function countSingles(row: DeliveryRow) {
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

function countRanges(row: DeliveryRow) {
  const { audience } = row;
  const begun =
    row.accepted + row.deferred + row.failed + row.skipped + row.unknown + row.alive + row.lost;
  const rest = audience - begun;
  const isCancelled = row.state === 'cancelled';
  const counts = {
    pending: isCancelled ? 0 : rest,
    handing_over: row.alive + row.retrying,
    accepted: row.accepted,
    deferred: row.deferred - row.retrying,
    failed: row.failed,
    skipped: row.skipped + (isCancelled ? rest : 0),
    unknown: row.unknown + row.lost,
  };
  return { audience, counts };
}

/** What stands in the subject of a message, as it was written. */
export async function subjectOf(db: Reader, accountId: number, messageId: number): Promise<string> {
  const row = await findMessage(db, accountId, messageId);
  const { source, text } = (row?.frozen ?? {}) as Partial<Frozen & FrozenText>;
  return source?.subject ?? text?.title ?? '';
}
