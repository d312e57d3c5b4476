// Opens and clicks over time, in the account's time zone: for each day since the sending, and for each
// hour of the day.
import { readAccount } from '#areas/accounts/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { toWallTime } from '#platform/server/zoned-time.ts';
import type { Times } from '../contract.ts';
import { readReportedCampaign } from './overview.ts';
import { readDays, readHours } from './reports.sql.ts';

const NO_ENGAGEMENT = { opens: 0, human_opens: 0, clicks: 0, human_clicks: 0 };
const DAY_MS = 86_400_000;

export async function readTimes(
  db: Reader,
  accountId: number,
  id: number,
  variant?: number,
): Promise<Times> {
  const campaign = await readReportedCampaign(db, accountId, id, variant);
  const { timezone } = await readAccount(db, accountId);
  const days = await readDays(db, accountId, campaign.messageIds, timezone);
  const hours = await readHours(db, accountId, campaign.messageIds, timezone);
  const first = campaign.sent_at ? dayIn(timezone, campaign.sent_at) : days[0]?.day;
  return {
    zone: timezone,
    days: first === undefined ? [] : withoutGaps(days, first),
    hours: Array.from(
      { length: 24 },
      (_, hour) => hours.find((counts) => counts.hour === hour) ?? { hour, ...NO_ENGAGEMENT },
    ),
  };
}

function dayIn(zone: string, at: Date): string {
  return toWallTime(at, zone).slice(0, 10);
}

/** Adds days without events, from the day of sending (or of an earlier event) to the last day. */
function withoutGaps(days: Times['days'], first: string): Times['days'] {
  const byDay = new Map(days.map((day) => [day.day, day]));
  const from = days[0] && days[0].day < first ? days[0].day : first;
  const last = days.at(-1)?.day ?? first;
  const filledDays: Times['days'] = [];
  for (let at = Date.parse(from); at <= Date.parse(last); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    filledDays.push(byDay.get(day) ?? { day, ...NO_ENGAGEMENT });
  }
  return filledDays;
}
