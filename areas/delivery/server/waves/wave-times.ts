// Calculates the send times of an audience with waves before it starts.
import { resolveSubscriberZone } from '#areas/subscribers/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { MessageChannel } from '../../message-kinds.ts';
import { type Audience, countPlaces } from '../ledger/audience.sql.ts';
import { isPastIn, rowOfZone, type WavePlan } from './wave-plan.ts';

export type WaveTimes = { first: Date | undefined; last: Date | undefined; past: number };

/** Returns the first and last send time; `past` counts recipients whose own time has passed at the start. */
export async function readWaveTimes(
  db: Reader,
  accountId: number,
  channel: MessageChannel,
  audience: Audience,
  at: Date,
): Promise<WaveTimes> {
  const places = await countPlaces(db, accountId, channel, audience, at);
  const plan = audience.waves;
  if (places.length === 0) return { first: undefined, last: undefined, past: 0 };
  if (!plan) return { first: at, last: at, past: 0 };
  const zones = countByZone(places, plan);
  const waves = [...zones.keys()].flatMap((zone) => rowOfZone(plan, zone));
  const opens = (wave: number) => new Date(plan.waves[wave]?.opens ?? at);
  const past = [...zones].filter(([zone]) => isPastIn(plan.rule, zone));
  return {
    // Waves are in the order of their openings.
    first: opens(waves.reduce((a, b) => Math.min(a, b))),
    last: opens(waves.reduce((a, b) => Math.max(a, b))),
    past: past.reduce((sum, [, count]) => sum + count, 0),
  };
}

type Places = Awaited<ReturnType<typeof countPlaces>>;

function countByZone(places: Places, plan: WavePlan): Map<string, number> {
  const zones = new Map<string, number>();
  for (const place of places) {
    const zone = resolveSubscriberZone(place) ?? plan.rule.zone;
    zones.set(zone, (zones.get(zone) ?? 0) + place.count);
  }
  return zones;
}

/**
 * Returns the fraction of the recipients by the start of their wave, in order. Recipients of a zone are
 * assumed to be spread evenly over its waves. Undefined without waves or recipients.
 */
export async function readWaveShares(
  db: Reader,
  accountId: number,
  channel: MessageChannel,
  audience: Audience,
  startsAt: Date,
): Promise<{ at: number; share: number }[] | undefined> {
  const plan = audience.waves;
  const places = plan ? await countPlaces(db, accountId, channel, audience, startsAt) : [];
  if (!plan || places.length === 0) return undefined;
  const total = places.reduce((sum, { count }) => sum + count, 0);
  const shares = new Map<number, number>();
  for (const [zone, count] of countByZone(places, plan)) {
    const waves = rowOfZone(plan, zone);
    for (const wave of waves) {
      const opens = Date.parse(plan.waves[wave]?.opens ?? startsAt.toISOString());
      const at = Math.max(opens, startsAt.getTime());
      shares.set(at, (shares.get(at) ?? 0) + count / waves.length / total);
    }
  }
  return [...shares].map(([at, share]) => ({ at, share })).sort((a, b) => a.at - b.at);
}
