// Prepares the assignment of one slice's subscribers to waves. Time zones are resolved once per
// location, not per subscriber.
import { resolveSubscriberZone } from '#areas/subscribers/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { type WaveChoice, findPlaces, hourSalt, type SliceWaves } from './slice-waves.sql.ts';
import {
  countSendTimes,
  isByZone,
  findWaveRow,
  type WavePlan,
  type WaveRule,
} from './wave-plan.ts';

/** Uses separate salts because slots by the experiment's salt would correlate with its variants. */
function choiceOf({ when, salt, spreadHours }: WaveRule): WaveChoice {
  if (when.by === 'hour') return { kind: 'hour', controlSalt: hourSalt(salt), hour: when.hour };
  return spreadHours === null ? { kind: 'only' } : { kind: 'slot', salt: `${salt}/slot` };
}

export async function computeSliceWaves(
  db: Reader,
  accountId: number,
  plan: WavePlan | undefined,
  slice: { after: number; lastId: number },
): Promise<SliceWaves | undefined> {
  if (!plan) return undefined;
  const { rule } = plan;
  const table = findWaveRow(plan, rule.zone);
  const rows = new Map<string, number>();
  const choices = countSendTimes(rule);
  const sliceWaves = { choice: choiceOf(rule), choices, rows, table };
  if (!isByZone(rule)) return sliceWaves;
  const rowsOfZones = new Map([[rule.zone, 0]]);
  for (const { key, ...place } of await findPlaces(db, accountId, slice)) {
    const zone = resolveSubscriberZone(place) ?? rule.zone;
    let row = rowsOfZones.get(zone);
    if (row === undefined) {
      row = rowsOfZones.size;
      rowsOfZones.set(zone, row);
      table.push(...findWaveRow(plan, zone));
    }
    if (row > 0) rows.set(key, row);
  }
  return sliceWaves;
}
