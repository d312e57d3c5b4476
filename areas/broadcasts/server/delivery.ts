// Converts the progress of a broadcast to the contracts' format.
import { EXCLUSIONS } from '#areas/delivery/shared.ts';
import type { MessageDelivery } from '#areas/delivery/server/ledger/index.ts';
import type { BroadcastDelivery } from '../sending-contract.ts';

const toIso = (date: Date | null) => date?.toISOString() ?? null;

export function presentDelivery(delivery: MessageDelivery): BroadcastDelivery {
  const { state, reason, audience, counts, excluded } = delivery;
  return {
    state,
    reason: delivery.isInstancePaused ? 'instance_paused' : reason,
    reply: delivery.details?.reply ?? null,
    audience,
    audience_done: delivery.isAudienceDone,
    accepted: counts.accepted,
    deferred: counts.deferred,
    failed: counts.failed,
    skipped: counts.skipped,
    unknown: counts.unknown,
    remaining: counts.pending + counts.handing_over + counts.deferred,
    held: delivery.held,
    held_until: toIso(delivery.heldUntil),
    next_wave: delivery.nextWave && {
      at: delivery.nextWave.at.toISOString(),
      count: delivery.nextWave.count,
    },
    halted: getHaltReason(delivery),
    excluded: EXCLUSIONS.flatMap((name) => {
      const count = excluded[name] ?? 0;
      return count > 0 ? [{ reason: name, count }] : [];
    }),
    started_at: toIso(delivery.startedAt),
    finished_at: toIso(delivery.finishedAt),
  };
}

function getHaltReason({
  details,
}: MessageDelivery): { count: number; of: number; limit: number } | null {
  if (details?.count === undefined || !details.of || details.limit === undefined) return null;
  return { count: details.count, of: details.of, limit: details.limit };
}
