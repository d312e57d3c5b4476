// SQL that assigns recipients to waves while a slice is written: it finds the locations of the
// slice's subscribers and calculates the wave of each.
import { type RawBuilder, sql } from 'kysely';
import { bucketExpression } from '#areas/experiments/server/index.ts';
import { PHONE_PREFIX_LENGTH } from '#areas/subscribers/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';

/**
 * One combination of zone and country, or if both are unknown, one prefix of phone numbers. `phone`
 * is a number with this prefix.
 */
export type PlaceTimeRow = {
  key: string;
  timezone: string | null;
  country: string | null;
  phone: string | null;
};

/**
 * SQL: the location key of `s`. It contains the number's prefix only if zone and country are
 * unknown, because there are many prefixes.
 */
const PLACE_KEY = sql`coalesce(s.timezone, '') || '|' || coalesce(s.country, '') || case
  when s.timezone is null and s.country is null
  then '|' || coalesce(left(s.phone_key, ${PHONE_PREFIX_LENGTH}::int), '') else '' end`;

/** SQL: the columns of PlaceTimeRow, for queries that group by the first one. */
export const PLACE_COLUMNS = sql`${PLACE_KEY} as key, min(s.timezone) as timezone,
  min(s.country) as country, min(s.phone_key) as phone`;

/** Finds the locations of a slice's subscribers. Takes 40 ms for 100,000 subscribers. */
export async function findPlaces(
  db: Reader,
  accountId: number,
  { after, lastId }: { after: number; lastId: number },
): Promise<PlaceTimeRow[]> {
  const { rows } = await sql<PlaceTimeRow>`
    select ${PLACE_COLUMNS} from subscribers s
    where s.account_id = ${accountId} and s.id > ${after} and s.id <= ${lastId}
      and s.deleted_at is null
    group by 1`.execute(db);
  return rows;
}

/**
 * Selects the wave of a recipient among the waves of the recipient's zone: the only wave, the wave
 * of a slot, or the wave of the recipient's best hour. `hour` is the account's best hour.
 */
export type WaveChoice =
  | { kind: 'only' }
  | { kind: 'slot'; salt: string }
  /** `controlSalt` selects recipients who get the account's best hour, as a control group. */
  | { kind: 'hour'; controlSalt: string; hour: number };

export type SliceWaves = {
  choice: WaveChoice;
  choices: number;
  /** Row of `table` by location key; locations missing from this map use the first row. */
  rows: ReadonlyMap<string, number>;
  /** The waves of all rows, each with `choices` entries. */
  table: readonly number[];
};

/** Recipients out of 10,000 who get the account's best hour instead of their own. */
const CONTROL = 1_000;

const bucketOf = (salt: string) => bucketExpression(salt, sql<number>`s.id`);

/** SQL: `s` is in the control group, which gets the account's best hour. */
export const isInControl = (salt: string) => sql<boolean>`${bucketOf(salt)} < ${CONTROL}::int`;

/** Returns the salt that selects the control group. */
export const hourSalt = (salt: string) => `${salt}/hour`;

/** SQL: the wave of `s`. A join with the locations of the slice took twice as long. */
export function waveOfSubscriber(accountId: number, waves: SliceWaves): RawBuilder<unknown> {
  const { rows, table, choices, choice } = waves;
  const row =
    rows.size === 0
      ? sql`0`
      : sql`coalesce((${JSON.stringify(Object.fromEntries(rows))}::jsonb ->> (${PLACE_KEY}))::int, 0)`;
  return sql`(${[...table]}::int[])[${row} * ${choices}::int + ${choiceOf(accountId, choice, choices)} + 1]`;
}

function choiceOf(accountId: number, choice: WaveChoice, choices: number): RawBuilder<unknown> {
  if (choice.kind === 'only') return sql`0`;
  if (choice.kind === 'slot') return sql`(${bucketOf(choice.salt)} * ${choices}::int / 10000)`;
  return sql`case when ${isInControl(choice.controlSalt)} then ${choice.hour}::int
    else coalesce((select h.hour from send_hours h
      where h.account_id = ${accountId} and h.subscriber_id = s.id), ${choice.hour}::int) end`;
}
