// The segments of the demo account.
import { condition } from '#areas/segments/filter-grammar.ts';
import type { Condition } from '#areas/segments/shared.ts';
import { countSegmentsJob } from '#areas/segments/server/counting.ts';
import { encodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { addJob } from '#platform/server/jobs/jobs.ts';
import type { DemoHistory, PastCampaign } from './history.sql.ts';
import type { DemoStoreIds } from './store.sql.ts';

const DAY_MS = 86_400_000;
const ACTIVE = condition('email_status', 'is', 'active');
const second = { group: 2 };

/** Returns segment titles and conditions, oldest first. */
function segmentsOf(
  history: DemoHistory,
  shop: DemoStoreIds,
  campaigns: readonly PastCampaign[],
): [string, Condition[]][] {
  const group = (id: number) => encodeId('group', id);
  const field = (id: number) => ({ key: encodeId('field', id) });
  const { segments: titles } = history.texts;
  const lastCampaign = encodeId('campaign', (campaigns.at(-1) as PastCampaign).campaignId);
  const [assam = 0, , , genmaicha = 0, , , , sencha = 0] = shop.products;
  const green = [genmaicha, sencha].map((id) => encodeId('product', id));
  const [, , , genmaichaTea = '', , , , senchaTea = ''] = history.teas;
  return [
    [titles.readers, [ACTIVE, condition('click', 'months', '3')]],
    [titles.asleep, [ACTIVE, condition('not_active_subscribers', 'months', '2')]],
    [titles.recent, [condition('created', 'weeks', '4')]],
    [
      titles.regulars,
      [
        condition('order_count', 'more-than', '3'),
        condition('order_amount', 'more-than', '150', { inside_concat: 'or' }),
      ],
    ],
    [titles.winback, [ACTIVE, condition('not_active_customers', 'months', '8')]],
    [
      titles.cart,
      [condition('cart_product_count', 'more-than', '0'), condition('visited_cart', 'weeks', '2')],
    ],
    [
      titles.green,
      [
        condition('text', 'in', senchaTea, { ...field(history.fields.tea), more: [genmaichaTea] }),
        condition('specific_product', 'have', green[0] as string, {
          more: green.slice(1),
          inside_concat: 'or',
        }),
        { ...ACTIVE, ...second },
      ],
    ],
    [titles.missed, [condition('not-open', 'specific', lastCampaign)]],
    [
      titles.assam,
      [
        condition('tag', 'have', group(history.groups.loyal)),
        condition('specific_product', 'not-have', encodeId('product', assam)),
      ],
    ],
    [
      titles.cups,
      [
        condition('number', 'more-than', '12', field(history.fields.cups)),
        condition('geolocation_eu', 'is'),
      ],
    ],
  ];
}

export async function insertSegments(
  tx: Tx,
  history: DemoHistory,
  shop: DemoStoreIds,
  campaigns: readonly PastCampaign[],
): Promise<number[]> {
  const segments = segmentsOf(history, shop, campaigns);
  const rows = await tx
    .insertInto('segments')
    .values(
      segments.map(([title, conditions], index) => {
        const createdAt = new Date(history.now.getTime() - (segments.length - index) * 40 * DAY_MS);
        return {
          account_id: history.accountId,
          title,
          conditions: JSON.stringify(conditions),
          created_by: history.userId,
          created_at: createdAt,
          modified_at: createdAt,
        };
      }),
    )
    .returning('id')
    .execute();
  const segmentIds = rows.map((row) => row.id);
  await addJob(tx, countSegmentsJob, { accountId: history.accountId, segmentIds });
  return segmentIds;
}

/** Chooses the recipients of a draft: engaged subscribers, without inactive ones. */
export async function selectSegments(
  tx: Tx,
  history: DemoHistory,
  campaignId: number,
  segments: readonly number[],
): Promise<void> {
  const [keen = 0, asleep = 0] = segments;
  await tx
    .insertInto('campaign_segments')
    .values([
      { account_id: history.accountId, campaign_id: campaignId, segment_id: keen },
      {
        account_id: history.accountId,
        campaign_id: campaignId,
        segment_id: asleep,
        is_excluded: true,
      },
    ])
    .execute();
}
