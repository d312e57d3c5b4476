// Finds the limits of the autopilot that were in effect while a campaign was sent, and the moves that
// set them.
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { CampaignLimit } from '../../pilot-contract.ts';
import type { PilotCause, PilotMove } from '../../pilot-shared.ts';
import { nameOfMailbox } from '../health/mailbox-names.ts';
import * as store from './pilot.sql.ts';

const DAY_MS = 86_400_000;
/** Older moves are not read, since a limit that began earlier has ended or has been changed. */
const MAX_AGE_MS = 60 * DAY_MS;
const MAX_MOVES = 2_000;

type Limit = {
  reason: store.AppliedMove;
  perHour: number | null;
  isEngagedOnly: boolean;
  since: Date;
  until: Date | null;
};

const RESTRICTING: readonly string[] = ['begin', 'slow', 'pause', 'narrow'];

/** @param messageIds the messages of one campaign */
export async function limitsOfMessages(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<CampaignLimit[]> {
  const sent = await store.sendingTimes(db, accountId, messageIds);
  const [first] = sent;
  if (!first) return [];
  const { domain, begunAt, finishedAt } = first;
  const during = { from: begunAt, until: finishedAt ?? clock.now() };
  const moves = await store.appliedMoves(db, accountId, domain, {
    since: new Date(begunAt.getTime() - MAX_AGE_MS),
    until: during.until,
    max: MAX_MOVES,
  });
  return [...new Set(sent.map(({ mailbox }) => mailbox))]
    .filter((mailbox) => mailbox > MAILBOXES.other)
    .flatMap((mailbox) => {
      const mailboxMoves = moves.filter((move) => move.mailbox === mailbox);
      return limitsOf(mailboxMoves).findLast((limit) => overlaps(limit, during)) ?? [];
    })
    .map(present);
}

const overlaps = ({ since, until }: Limit, during: { from: Date; until: Date }) =>
  since < during.until && (until === null || until > during.from);

/** Returns the limits that followed each other. A raised limit is the same limit with the higher rate. */
export function limitsOf(moves: readonly store.AppliedMove[]): Limit[] {
  const limits: Limit[] = [];
  for (const move of moves) {
    const { appliedAt, undoneAt } = move;
    const current = limits.at(-1);
    const isOn = current !== undefined && (current.until === null || current.until > appliedAt);
    const isRestricting = RESTRICTING.includes(move.move);
    // If the removal of a limit was undone, the limit continues unchanged.
    if (!isRestricting && (!isOn || undoneAt !== null)) continue;
    const next = {
      perHour: move.to_per_hour,
      isEngagedOnly: isRestrictedAfter(move, isOn && current.isEngagedOnly),
    };
    if (isRestricting) {
      const before = isOn ? { ...current } : undefined;
      if (isOn) current.until = appliedAt;
      limits.push({ reason: move, ...next, since: appliedAt, until: undoneAt });
      if (before && undoneAt) limits.push({ ...before, since: undoneAt });
    } else if (next.perHour === null && !next.isEngagedOnly) {
      if (isOn) current.until = appliedAt;
    } else if (isOn) Object.assign(current, next);
  }
  return limits;
}

function isRestrictedAfter({ move, cause }: store.AppliedMove, before: boolean): boolean {
  if (move === 'narrow' || move === 'pause') return true;
  const isLifted = move === 'widen' || move === 'resume' || cause === 'off';
  return before && !isLifted;
}

const present = ({ reason, perHour, isEngagedOnly, since, until }: Limit): CampaignLimit => ({
  mailbox: nameOfMailbox(reason.mailbox) as CampaignLimit['mailbox'],
  ...{ move: reason.move as PilotMove, cause: reason.cause as PilotCause },
  ...{ count: reason.count, of: reason.of },
  ...{ per_hour: perHour, is_engaged_only: isEngagedOnly },
  ...{ since: since.toISOString(), until: until?.toISOString() ?? null },
});
