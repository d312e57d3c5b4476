// Lists relays with the use of their hourly and daily limits.
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { computeReserve } from '../../relay-limits.ts';
import type { ListedRelay, Quota, RelayView } from '../../relays-contract.ts';
import { computeUsage } from './allowance.ts';
import { listRelays, relayKey } from './relays.ts';
import { readAllowances } from './relay-use.sql.ts';

const HOUR_MS = 3_600_000;
const WINDOWS = { hour: HOUR_MS, day: 24 * HOUR_MS } as const;

export async function listRelaysWithUse(tx: Tx, accountId: number): Promise<ListedRelay[]> {
  const relays = await listRelays(tx, accountId);
  const keyOf = ({ id }: RelayView) => relayKey(accountId, decodeId('relay', id) as number);
  const limitedRelays = relays.filter((relay) => relay.per_hour !== null || relay.per_day !== null);
  const states = await readAllowances(tx, limitedRelays.map(keyOf));
  const now = clock.now().getTime();
  return relays.map((relay) => {
    const slots = states.get(keyOf(relay))?.slots ?? [];
    return { ...relay, quotas: computeQuotas(relay, slots, now) };
  });
}

/**
 * Returns a quota for each limit that is set: the sends in the last hour or day and, once only the
 * reserve for urgent email is left, the time when other email can be sent again.
 */
export function computeQuotas(
  limits: Pick<RelayView, 'per_hour' | 'per_day'>,
  slots: readonly (readonly [number, number])[],
  now: number,
): Quota[] {
  return (['hour', 'day'] as const).flatMap((unit) => {
    const limit = limits[`per_${unit}`];
    if (limit === null) return [];
    const { used, moreAt } = computeUsage(slots, WINDOWS[unit], limit - computeReserve(limit), now);
    const more_at = moreAt === undefined ? null : new Date(moreAt).toISOString();
    return [{ unit, used, most: limit, more_at }];
  });
}
