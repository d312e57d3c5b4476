// Finds the autopilot's limits that were in effect while a campaign was sent, and the moves that
// set them.
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { CampaignLimit } from '../../pilot-contract.ts';
import type { PilotCause, PilotMove } from '../../pilot-shared.ts';
import { getMailboxName } from '../health/mailbox-names.ts';
import * as store from './pilot.sql.ts';

const DAY_MS = 86_400_000;
/** Older moves are not read, because a limit that began earlier has ended or has been changed. */
const MAX_AGE_MS = 60 * DAY_MS;
const MAX_MOVES = 2_000;

type CampaignLimitState = {
  reason: store.AppliedMove;
  perHour: number | null;
  isEngagedOnly: boolean;
  since: Date;
  until: Date | null;
};

const RESTRICTING: readonly string[] = ['begin', 'slow', 'pause', 'narrow'];

/** @param messageIds the messages of one campaign */
export async function listMessageLimits(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<CampaignLimit[]> {
  const sendingTimes = await store.listSendingTimes(db, accountId, messageIds);
  const [first] = sendingTimes;
  if (!first) return [];
  const { domain, begunAt, finishedAt } = first;
  const during = { from: begunAt, until: finishedAt ?? clock.now() };
  const moves = await store.listAppliedMoves(db, accountId, domain, {
    since: new Date(begunAt.getTime() - MAX_AGE_MS),
    until: during.until,
    max: MAX_MOVES,
  });
  return [...new Set(sendingTimes.map(({ mailbox }) => mailbox))]
    .filter((mailbox) => mailbox > MAILBOXES.other)
    .flatMap((mailbox) => {
      const mailboxMoves = moves.filter((move) => move.mailbox === mailbox);
      return computeLimits(mailboxMoves).findLast((limit) => overlaps(limit, during)) ?? [];
    })
    .map(present);
}

const overlaps = ({ since, until }: CampaignLimitState, during: { from: Date; until: Date }) =>
  since < during.until && (until === null || until > during.from);

/** Returns the successive limits. A raised limit is the same limit with the higher rate. */
export function computeLimits(moves: readonly store.AppliedMove[]): CampaignLimitState[] {
  const limits: CampaignLimitState[] = [];
  for (const move of moves) {
    const { appliedAt, undoneAt } = move;
    const currentLimit = limits.at(-1);
    const isOn =
      currentLimit !== undefined && (currentLimit.until === null || currentLimit.until > appliedAt);
    const isRestricting = RESTRICTING.includes(move.move);
    // If raising or lifting a limit was undone, the limit continues unchanged.
    if (!isRestricting && (!isOn || undoneAt !== null)) continue;
    const next = {
      perHour: move.to_per_hour,
      isEngagedOnly: isRestrictedAfter(move, isOn && currentLimit.isEngagedOnly),
    };
    if (isRestricting) {
      const previousLimit = isOn ? { ...currentLimit } : undefined;
      if (isOn) currentLimit.until = appliedAt;
      limits.push({ reason: move, ...next, since: appliedAt, until: undoneAt });
      if (previousLimit && undoneAt) limits.push({ ...previousLimit, since: undoneAt });
    } else if (next.perHour === null && !next.isEngagedOnly) {
      if (isOn) currentLimit.until = appliedAt;
    } else if (isOn) Object.assign(currentLimit, next);
  }
  return limits;
}

function isRestrictedAfter({ move, cause }: store.AppliedMove, wasRestricted: boolean): boolean {
  if (move === 'narrow' || move === 'pause') return true;
  const isLifted = move === 'widen' || move === 'resume' || cause === 'off';
  return wasRestricted && !isLifted;
}

const present = ({
  reason,
  perHour,
  isEngagedOnly,
  since,
  until,
}: CampaignLimitState): CampaignLimit => ({
  mailbox: getMailboxName(reason.mailbox) as CampaignLimit['mailbox'],
  ...{ move: reason.move as PilotMove, cause: reason.cause as PilotCause },
  ...{ count: reason.count, of: reason.of },
  ...{ per_hour: perHour, is_engaged_only: isEngagedOnly },
  ...{ since: since.toISOString(), until: until?.toISOString() ?? null },
});
