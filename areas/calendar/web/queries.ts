// API calls of the calendar, and of campaigns whose entries are moved or skipped.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import type { planningCalls } from '#areas/broadcasts/planning-contract.ts';
import { wallTimeToInstant } from '#areas/broadcasts/wall-time.ts';
import { client } from '#platform/web/api/api.ts';
import { useLiveInvalidation } from '#platform/web/api/live-queries.ts';
import type { resendCalls } from '../../campaigns/resend-contract.ts';
import type { calls, CalendarEntry } from '../contract.ts';

export const CALENDAR = '/client-api/api/calendar';
const CAMPAIGNS = '/client-api/api/campaigns';
const SMS = '/client-api/api/sms/campaign';
const HOUR_MS = 3_600_000;

const api = client<typeof calls>();
const resendApi = client<typeof resendCalls>();
type PlanningCalls = ReturnType<typeof planningCalls<typeof CAMPAIGNS, z.ZodObject>>;
/** Calls for email and SMS campaigns have the same types but different paths. */
const planningOf = (base: string) => client<PlanningCalls>((name) => name.replace(CAMPAIGNS, base));
const planning = { email: planningOf(CAMPAIGNS), sms: planningOf(SMS) };

export function useCalendar(from: string, to: string) {
  useLiveInvalidation('campaign', CALENDAR);
  useLiveInvalidation('sms', CALENDAR);
  return useQuery({
    ...api.query('GET /client-api/api/calendar', { query: { from, to } }),
    placeholderData: keepPreviousData,
  });
}

const isSms = ({ kind }: CalendarEntry) => kind === 'sms' || kind === 'sms_occurrence';

/** Moves an entry to a wall time of the zone. Returns the entry needed to undo the move. */
export async function moveEntry(
  entry: CalendarEntry,
  wallTime: string,
  zone: string,
): Promise<CalendarEntry> {
  const plan = planning[isSms(entry) ? 'sms' : 'email'];
  if (entry.kind === 'resend' && entry.resend !== null) {
    const { subject, sent_at } = entry.resend;
    const at = wallTimeToInstant(wallTime, zone) as Date;
    const hours = Math.round((at.getTime() - Date.parse(sent_at)) / HOUR_MS);
    await resendApi('PUT /client-api/api/campaigns/{id}/resend', {
      params: { id: entry.id },
      body: { subject, hours },
    });
    return entry;
  }
  if (entry.on !== null && (entry.kind === 'occurrence' || entry.kind === 'sms_occurrence')) {
    const { data } = await plan('POST /client-api/api/campaigns/{id}/series/prepare', {
      params: { id: entry.id },
      body: { on: entry.on, schedule_time: wallTime },
      idempotencyKey: crypto.randomUUID(),
    });
    // The occurrence now has its own campaign.
    const { id } = data as { id: string };
    return { ...entry, kind: isSms(entry) ? 'sms' : 'campaign', id };
  }
  await plan('POST /client-api/api/campaigns/{id}/reschedule', {
    params: { id: entry.id },
    body: { schedule_time: wallTime },
    idempotencyKey: crypto.randomUUID(),
  });
  return entry;
}

type CalendarOccurrence = Pick<CalendarEntry, 'kind' | 'id' | 'on'>;

export const skipOccurrence = (entry: CalendarOccurrence) => setSkipped(entry, 'skip');
export const unskipOccurrence = (entry: CalendarOccurrence) => setSkipped(entry, 'unskip');

async function setSkipped({ kind, id, on }: CalendarOccurrence, action: 'skip' | 'unskip') {
  await planning[kind === 'sms_occurrence' ? 'sms' : 'email'](
    `POST /client-api/api/campaigns/{id}/series/${action}`,
    { params: { id }, body: { on: on as string }, idempotencyKey: crypto.randomUUID() },
  );
}
