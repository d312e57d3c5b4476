// Calculates the send times of an audience with waves before its message starts.
import { resolveSubscriberZone } from '#areas/subscribers/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { MessageChannel } from '../../message-kinds.ts';
import { type Audience, countPlaces } from '../ledger/audience.sql.ts';
import { isPastIn, findWaveRow, type WavePlan } from './wave-plan.ts';

export type WaveTimes = { firstAt: Date | undefined; lastAt: Date | undefined; pastCount: number };

/**
 * Returns the first and last send time. `pastCount` is the number of recipients whose own time has
 * passed at the start.
 */
export async function readWaveTimes(
  db: Reader,
  accountId: number,
  channel: MessageChannel,
  audience: Audience,
  at: Date,
): Promise<WaveTimes> {
  const placeCounts = await countPlaces(db, accountId, channel, audience, at);
  const plan = audience.waves;
  if (placeCounts.length === 0) return { firstAt: undefined, lastAt: undefined, pastCount: 0 };
  if (!plan) return { firstAt: at, lastAt: at, pastCount: 0 };
  const zones = countByZone(placeCounts, plan);
  const waves = [...zones.keys()].flatMap((zone) => findWaveRow(plan, zone));
  const opens = (wave: number) => new Date(plan.waves[wave]?.opens ?? at);
  const past = [...zones].filter(([zone]) => isPastIn(plan.rule, zone));
  return {
    // Waves are in the order of their openings.
    firstAt: opens(waves.reduce((a, b) => Math.min(a, b))),
    lastAt: opens(waves.reduce((a, b) => Math.max(a, b))),
    pastCount: past.reduce((total, [, count]) => total + count, 0),
  };
}

type PlaceCounts = Awaited<ReturnType<typeof countPlaces>>;

function countByZone(placeCounts: PlaceCounts, plan: WavePlan): Map<string, number> {
  const zones = new Map<string, number>();
  for (const placeCount of placeCounts) {
    const zone = resolveSubscriberZone(placeCount) ?? plan.rule.zone;
    zones.set(zone, (zones.get(zone) ?? 0) + placeCount.count);
  }
  return zones;
}

/**
 * Returns each time at which a wave opens and the fraction of the recipients in the waves that open
 * then, in order of time. Recipients of a zone are assumed to be spread evenly over its waves.
 * Returns undefined without waves or recipients.
 */
export async function readWaveShares(
  db: Reader,
  accountId: number,
  channel: MessageChannel,
  audience: Audience,
  startsAt: Date,
): Promise<{ at: number; fraction: number }[] | undefined> {
  const plan = audience.waves;
  const placeCounts = plan ? await countPlaces(db, accountId, channel, audience, startsAt) : [];
  if (!plan || placeCounts.length === 0) return undefined;
  const total = placeCounts.reduce((sum, { count }) => sum + count, 0);
  const fractions = new Map<number, number>();
  for (const [zone, count] of countByZone(placeCounts, plan)) {
    const waves = findWaveRow(plan, zone);
    for (const wave of waves) {
      const opens = Date.parse(plan.waves[wave]?.opens ?? startsAt.toISOString());
      const openingTime = Math.max(opens, startsAt.getTime());
      fractions.set(openingTime, (fractions.get(openingTime) ?? 0) + count / waves.length / total);
    }
  }
  return [...fractions].map(([at, fraction]) => ({ at, fraction })).sort((a, b) => a.at - b.at);
}
