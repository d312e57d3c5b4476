// A broadcast's delivery and engagement: the sums over its messages. An experiment has several
// messages. A subscriber gets at most one of them, so unique counts can be summed.
import type { LeadId } from '#areas/delivery/lead-id.ts';
import {
  type MessageDelivery,
  findMessagesByLead,
  readDelivery,
} from '#areas/delivery/server/ledger/index.ts';
import { readEngagement } from '#areas/tracking/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';

type MessageCounts =
  Awaited<ReturnType<typeof readEngagement>> extends Map<number, infer Value> ? Value : never;

export type BroadcastFigures = {
  /** The sums over all messages, with the id of the lead. */
  delivery: MessageDelivery;
  /** Undefined if there is no open, click or bounce. */
  engagement: MessageCounts | undefined;
  /** The lead first. */
  messageIds: number[];
};

/** Returns the statistics of broadcasts by lead message. */
export async function readBroadcasts(
  db: Reader,
  accountId: number,
  leads: readonly LeadId[],
): Promise<Map<LeadId, BroadcastFigures>> {
  const groups = await findMessagesByLead(db, accountId, leads);
  const ids = [...groups.values()].flat();
  const deliveries = new Map(
    (await readDelivery(db, accountId, ids)).map(
      (delivery) => [delivery.messageId, delivery] as const,
    ),
  );
  const engagement = await readEngagement(db, accountId, ids);
  const figuresByLead = new Map<LeadId, BroadcastFigures>();
  for (const [lead, messageIds] of groups) {
    const deliveriesOfGroup = messageIds.flatMap((id) => deliveries.get(id) ?? []);
    const [first, ...others] = deliveriesOfGroup;
    if (!first) continue;
    figuresByLead.set(lead, {
      delivery: others.reduce(addDelivery, first),
      engagement: sumEngagement(messageIds.flatMap((id) => engagement.get(id) ?? [])),
      messageIds,
    });
  }
  return figuresByLead;
}

/** Finds all messages of broadcasts by their lead messages. */
export async function withMessages<Row extends { messageId: LeadId | null }>(
  db: Reader,
  accountId: number,
  rows: readonly Row[],
): Promise<(Row & { messageIds: number[] })[]> {
  const leads = rows.flatMap(({ messageId }) => messageId ?? []);
  const groups = await findMessagesByLead(db, accountId, leads);
  return rows.map((row) => ({
    ...row,
    messageIds: (row.messageId && groups.get(row.messageId)) ?? [],
  }));
}

/** Returns delivery and engagement of each message separately. */
export async function readEach(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<Map<number, BroadcastFigures>> {
  const engagement = await readEngagement(db, accountId, messageIds);
  const deliveries = await readDelivery(db, accountId, messageIds);
  return new Map(
    deliveries.map((delivery) => {
      const { messageId: id } = delivery;
      return [id, { delivery, engagement: engagement.get(id), messageIds: [id] }];
    }),
  );
}

/** States of messages, the one that needs attention most first. */
const WORST: readonly MessageDelivery['state'][] = [
  'paused',
  'waiting',
  'sending',
  'preparing',
  'finished',
  'cancelled',
];

function addDelivery(a: MessageDelivery, b: MessageDelivery): MessageDelivery {
  const worst = WORST.indexOf(b.state) < WORST.indexOf(a.state) ? b : a;
  const counts = { ...a.counts };
  for (const name of Object.keys(counts) as (keyof MessageDelivery['counts'])[]) {
    counts[name] += b.counts[name];
  }
  const excludedCounts = { ...a.excluded };
  for (const [name, count] of Object.entries(b.excluded)) {
    const reason = name as keyof MessageDelivery['excluded'];
    excludedCounts[reason] = (excludedCounts[reason] ?? 0) + count;
  }
  return {
    ...a,
    ...{ state: worst.state, reason: worst.reason, details: worst.details },
    audience: a.audience + b.audience,
    isAudienceDone: a.isAudienceDone && b.isAudienceDone,
    counts,
    bouncedUnknown: a.bouncedUnknown + b.bouncedUnknown,
    nextWave: combineNextWaves(a.nextWave, b.nextWave),
    held: a.held + b.held,
    heldUntil: getEarliest(a.heldUntil, b.heldUntil),
    excluded: excludedCounts,
    firstHandedOverAt: getEarliest(a.firstHandedOverAt, b.firstHandedOverAt),
    finishedAt: a.finishedAt && b.finishedAt ? getLatest(a.finishedAt, b.finishedAt) : null,
  };
}

/** Returns the earlier of two next waves, or their sum if they are at the same instant. */
function combineNextWaves(
  a: MessageDelivery['nextWave'],
  b: MessageDelivery['nextWave'],
): MessageDelivery['nextWave'] {
  if (!a || !b) return a ?? b;
  if (a.at.getTime() === b.at.getTime()) return { ...a, count: a.count + b.count };
  return a.at < b.at ? a : b;
}

function getEarliest(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

const getLatest = (a: Date, b: Date) => (a > b ? a : b);

function sumEngagement(countsList: readonly MessageCounts[]): MessageCounts | undefined {
  const [first, ...others] = countsList;
  if (!first) return undefined;
  const total = { ...first };
  for (const counts of others) {
    for (const name of Object.keys(counts) as (keyof MessageCounts)[]) {
      const [before, more] = [total[name], counts[name]];
      if (name === 'message_id' || typeof more !== 'number') continue;
      Object.assign(total, { [name]: Number(before ?? 0) + more });
    }
  }
  return total;
}
