// The calls of SMS campaigns, each as a sentence.
import { encodeId } from '#platform/ids.ts';
import { type Route, serve } from '#platform/server/http/serve.ts';
import { answerList } from '#platform/server/lists.ts';
import { calls, type SmsCampaign } from '../contract.ts';
import type { Status } from '../limits.ts';
import * as store from './sms.sql.ts';

export const smsRoutes: Route[] = serve('sms', calls, {
  listSmsCampaigns: ({ tx, who, query: { list, status } }) => {
    const wish = { ...list, status };
    return answerList(
      list,
      {
        rows: (slice) => store.listSmsCampaigns(tx, who.accountId, wish, slice),
        total: () => store.countSmsCampaigns(tx, who.accountId, wish),
      },
      present,
    );
  },
});

function present(row: store.SmsCampaignRow): SmsCampaign {
  return {
    id: encodeId('sms', row.id),
    title: row.title,
    text: row.text,
    sender: row.sender,
    status: row.status as Status,
    last_action: row.last_action,
    add_organization_name: row.add_organization_name,
    append_opt_out: row.append_opt_out,
    send_to_all: row.send_to_all,
    google_analytics: row.google_analytics,
    schedule_time: row.schedule_time,
    schedule_zone: row.schedule_zone,
    scheduled_at: row.scheduled_at?.toISOString() ?? null,
    sent_at: row.sent_at?.toISOString() ?? null,
    created: row.created_at.toISOString(),
    modified: row.modified_at.toISOString(),
  };
}
