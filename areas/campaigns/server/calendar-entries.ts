// Email campaigns and their resends in the calendar.
import {
  NO_EXTRAS,
  createPlannedBroadcasts,
  type PlannedRange,
} from '#areas/broadcasts/server/index.ts';
import type { CalendarEntry } from '#areas/broadcasts/planned-contract.ts';
import { encodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { MAX_RESEND_HOURS, MIN_RESEND_HOURS } from '../shared.ts';
import type { CampaignAdapter } from './adapter.ts';
import { listResendsBetween } from './calendar-entries.sql.ts';

const HOUR_MS = 3_600_000;

export function createPlannedCampaigns(adapter: CampaignAdapter) {
  const broadcasts = createPlannedBroadcasts(adapter, {
    row: 'campaign',
    occurrence: 'occurrence',
    decision: 'decision',
  });
  return async (tx: Tx, range: PlannedRange): Promise<CalendarEntry[]> => [
    ...(await broadcasts(tx, range)),
    ...(await listPlannedResends(tx, range)),
  ];
}

async function listPlannedResends(
  tx: Tx,
  { accountId, from, to }: PlannedRange,
): Promise<CalendarEntry[]> {
  const rows = await listResendsBetween(tx, accountId, from, to);
  return rows.map(({ id, title, subject, due_at, sent_at }) => {
    const addHours = (hours: number) => new Date(sent_at.getTime() + hours * HOUR_MS).toISOString();
    return {
      kind: 'resend',
      id: encodeId('campaign', id),
      title,
      at: due_at.toISOString(),
      state: 'planned',
      people: null,
      ...NO_EXTRAS,
      movable: { from: addHours(MIN_RESEND_HOURS), to: addHours(MAX_RESEND_HOURS) },
      resend: { subject, sent_at: sent_at.toISOString() },
    };
  });
}
