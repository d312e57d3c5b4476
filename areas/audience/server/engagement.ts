// A subscriber's engagement: last open, last click, and the activity on each day of a year.
import { readAccount } from '#areas/accounts/server/index.ts';
import { readSubscriber } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { wallTimeToInstant, toWallTime } from '#platform/server/zoned-time.ts';
import type { SubscriberEngagement } from '../contract.ts';
import { ENGAGEMENT_DAYS } from '../shared.ts';
import { readEngagementDays, readLastEngagement } from './engagement.sql.ts';

const DAY_MS = 86_400_000;

export async function readEngagement(
  db: Reader,
  accountId: number,
  id: number,
): Promise<SubscriberEngagement> {
  await readSubscriber(db, accountId, id);
  const { timezone: zone } = await readAccount(db, accountId);
  const lastDate = toWallTime(clock.now(), zone).slice(0, 10);
  const firstDay = Date.parse(`${lastDate}T00:00:00Z`) - (ENGAGEMENT_DAYS - 1) * DAY_MS;
  const firstDate = new Date(firstDay).toISOString().slice(0, 10);
  const lastEngagement = await readLastEngagement(db, accountId, id);
  const since = wallTimeToInstant(`${firstDate} 00:00:00`, zone);
  return {
    last_open: lastEngagement.lastOpenAt?.toISOString() ?? null,
    last_click: lastEngagement.lastClickAt?.toISOString() ?? null,
    from: firstDate,
    to: lastDate,
    days: await readEngagementDays(db, accountId, id, { since, zone }),
  };
}
