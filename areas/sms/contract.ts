// SMS campaigns (specification, sections 3 and 7 'SMS').
import { z } from 'zod';
import { defineCalls, Id, Instant, listAnswer, listQuery } from '#platform/contract.ts';
import { STATUSES } from './limits.ts';

export const SmsCampaign = z.object({
  id: Id,
  title: z.string(),
  text: z.string(),
  /** A number, or a name that the carrier allows. */
  sender: z.string(),
  status: z.enum(STATUSES),
  last_action: z.string(),
  add_organization_name: z.boolean(),
  append_opt_out: z.boolean(),
  send_to_all: z.boolean(),
  google_analytics: z.boolean(),
  /** Wall time in `schedule_zone`; null: at once, or not scheduled. */
  schedule_time: z.string().nullable(),
  schedule_zone: z.string().nullable(),
  scheduled_at: Instant.nullable(),
  sent_at: Instant.nullable(),
  created: Instant,
  modified: Instant,
});
export type SmsCampaign = z.infer<typeof SmsCampaign>;

export const calls = defineCalls({
  listSmsCampaigns: {
    method: 'GET',
    path: '/client-api/api/sms/campaign',
    who: 'account',
    summary: 'SMS campaigns',
    query: listQuery(
      { sorts: ['created', 'title', 'modified'] },
      { status: z.enum(STATUSES).optional() },
    ),
    answer: listAnswer(SmsCampaign),
  },
});
