// Statistics of a campaign in the public API: the subscribers with each action.
import { z } from 'zod';
import { type Call, defineCalls, Id, idOf } from '#platform/contract.ts';
import { v2List, v2Page, V2Time } from '#platform/v2-contract.ts';

export const PublicAction = z.object({
  recipient_id: Id.nullable(),
  email: z.string().nullable(),
  created_at: V2Time,
});
export const PublicClick = PublicAction.extend({
  link_id: Id.nullable(),
  url: z.string().nullable(),
});

const params = z.object({ id: idOf('campaign') });
const query = v2List({ order: 'at', direction: 'desc' });

const EMPTY_LIST_NOTE =
  'Before the campaign is sent, the list is empty. `recipient_id` and `email` are null for deleted subscribers.';
const ONCE_PER_SUBSCRIBER = `Lists each subscriber once, newest first. ${EMPTY_LIST_NOTE}`;

function listOf<const Kind extends string, Row extends z.ZodType>(
  kind: Kind,
  summary: string,
  row: Row,
  description = ONCE_PER_SUBSCRIBER,
) {
  return {
    method: 'GET',
    path: `/v2/campaigns/{id}/${kind}`,
    caller: 'account',
    requiredRight: 'people',
    summary,
    description,
    params,
    query,
    response: v2Page(row),
  } as const satisfies Call;
}

export const publicCalls = defineCalls({
  listOpens: listOf(
    'opens',
    'List opens of a campaign',
    PublicAction,
    `Lists each subscriber once, by the time of the first open, newest first. Opens by machines are included. ${EMPTY_LIST_NOTE}`,
  ),
  listClicks: listOf(
    'clicks',
    'List clicks of a campaign',
    PublicClick,
    `Lists every click with its link, newest first, so that a subscriber may occur several times. Clicks by machines are included. ${EMPTY_LIST_NOTE}`,
  ),
  listSoftBounces: listOf('soft_bounces', 'List soft bounces of a campaign', PublicAction),
  listHardBounces: listOf('hard_bounces', 'List hard bounces of a campaign', PublicAction),
  listUnsubscribes: listOf('unsubscribes', 'List unsubscribes of a campaign', PublicAction),
  listComplaints: listOf('complaints', 'List spam complaints of a campaign', PublicAction),
});
