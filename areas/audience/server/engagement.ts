// A subscriber's engagement: the last open, the last click, and the activity on each day of a year.
import { readAccount } from '#areas/accounts/server/index.ts';
import { readSubscriber } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { instantOf, wallTimeOf } from '#platform/server/zoned-time.ts';
import type { Engagement } from '../contract.ts';
import { ENGAGEMENT_DAYS } from '../shared.ts';
import { readEngagementDays, readLastActs } from './engagement.sql.ts';

const DAY_MS = 86_400_000;

export async function readEngagement(
  db: Reader,
  accountId: number,
  id: number,
): Promise<Engagement> {
  await readSubscriber(db, accountId, id);
  const { timezone: zone } = await readAccount(db, accountId);
  const to = wallTimeOf(clock.now(), zone).slice(0, 10);
  const first = Date.parse(`${to}T00:00:00Z`) - (ENGAGEMENT_DAYS - 1) * DAY_MS;
  const from = new Date(first).toISOString().slice(0, 10);
  const last = await readLastActs(db, accountId, id);
  const since = instantOf(`${from} 00:00:00`, zone);
  return {
    last_open: last.opened?.toISOString() ?? null,
    last_click: last.clicked?.toISOString() ?? null,
    from,
    to,
    days: await readEngagementDays(db, accountId, id, { since, zone }),
  };
}
