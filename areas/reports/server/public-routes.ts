// Serves the statistics of campaigns in the public API.
import { getCampaignRow } from '#areas/campaigns/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { AppError } from '#platform/server/errors.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { type CallContext, type Route, createRoutes } from '#platform/server/http/serve.ts';
import { presentPage } from '#platform/server/http/v2.ts';
import { v2Time, formatV2Time } from '#platform/v2-contract.ts';
import type { RecipientAction } from '../contract.ts';
import type { ReportAction } from '../shared.ts';
import { publicCalls } from '../public-contract.ts';
import { countClicks, listClicks } from './actions.sql.ts';
import { listActions } from './actions.ts';
import { readReportedCampaign } from './overview.ts';

type ActionListContext = Pick<
  CallContext<(typeof publicCalls)['listOpens']>,
  'tx' | 'caller' | 'params' | 'request'
> & { query: { list: ListRequest<'at'> } };

const actionsOf = (action: ReportAction) => async (context: ActionListContext) => {
  const { tx, caller, params, query, request } = context;
  const filter = { list: query.list, action };
  const page = await listActions(tx, caller.accountId, params.id, filter).catch(nothingYet);
  return presentPage(request, page, present);
};

/** The page that clients get for a campaign that was not sent yet. */
const NOTHING = {
  data: [],
  meta: { from: null, to: null, page: 1, pageCount: 1, total: 0, perPage: 10 },
};

function nothingYet(error: unknown) {
  if (error instanceof AppError && error.code === 'not_sent_yet') return NOTHING;
  throw error;
}

export const publicReportRoutes: Route[] = createRoutes('reports', publicCalls, {
  listOpens: actionsOf('opens'),
  listClicks: async ({ tx, caller: { accountId }, params, query: { list }, request }) => {
    const { message_id: lead } = await getCampaignRow(tx, accountId, params.id);
    if (lead === null) return presentPage(request, NOTHING, (row) => row);
    const { messageIds } = await readReportedCampaign(tx, accountId, params.id);
    const page = await buildListResponse(
      list,
      {
        rows: (slice) => listClicks(tx, accountId, messageIds, slice),
        total: () => countClicks(tx, accountId, messageIds),
      },
      (row) => ({
        recipient_id: row.subscriber_id === null ? null : encodeId('subscriber', row.subscriber_id),
        email: row.email,
        created_at: v2Time(row.at),
        link_id: row.link_position === null ? null : encodeId('link', row.link_position),
        url: row.url,
      }),
    );
    return presentPage(request, page, (row) => row);
  },
  listSoftBounces: actionsOf('soft_bounces'),
  listHardBounces: actionsOf('hard_bounces'),
  listUnsubscribes: actionsOf('unsubscribes'),
  listComplaints: actionsOf('complaints'),
});

const present = ({ subscriber, at }: RecipientAction) => ({
  recipient_id: subscriber?.id ?? null,
  email: subscriber?.email ?? null,
  created_at: formatV2Time(at),
});
