// Checks whether a form's draft promises a coupon code that visitors would not receive. The module
// is loaded when a form is activated.
import { listCouponPoolsQuery } from '#areas/content/web/index.ts';
import { queryClient } from '#platform/web/api/queries.ts';
import { type DraftIssue, findDraftIssues, COUPON_ISSUES } from './builder/draft-issues.ts';
import { toDraft } from './builder/draft.ts';
import { api } from './queries.ts';

/** Returns the draft's first coupon issue; undefined if visitors receive every promised code. */
export async function findMissingCoupon(id: string): Promise<DraftIssue | undefined> {
  const { data } = await api('GET /client-api/api/forms/{id}', { params: { id } });
  const draft = toDraft(data);
  const { source, pool_id: poolId } = draft.settings.coupon;
  const pools =
    source === 'pool' ? (await queryClient.fetchQuery(listCouponPoolsQuery())).data : undefined;
  const codesLeft = pools && (pools.find((pool) => pool.id === poolId)?.left ?? 0);
  return findDraftIssues(draft, data.type, codesLeft).find((issue) =>
    COUPON_ISSUES.includes(issue),
  );
}
