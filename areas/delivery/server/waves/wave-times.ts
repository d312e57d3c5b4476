// When the recipients of an audience with waves would be sent to, before it starts.
import { zoneOfPerson } from '#areas/subscribers/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { Channel } from '../../message-kinds.ts';
import { type Audience, countPlaces } from '../ledger/audience.sql.ts';
import { isPastIn, rowOfZone } from './wave-plan.ts';

export type WaveTimes = { first: Date | undefined; last: Date | undefined; past: number };

/** `past` counts recipients whose own time is before the start. */
export async function waveTimesOf(
  db: Reader,
  accountId: number,
  channel: Channel,
  audience: Audience,
  at: Date,
): Promise<WaveTimes> {
  const places = await countPlaces(db, accountId, channel, audience, at);
  const plan = audience.waves;
  if (places.length === 0) return { first: undefined, last: undefined, past: 0 };
  if (!plan) return { first: at, last: at, past: 0 };
  const zones = new Map<string, number>();
  for (const place of places) {
    const zone = zoneOfPerson(place) ?? plan.rule.zone;
    zones.set(zone, (zones.get(zone) ?? 0) + place.count);
  }
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
