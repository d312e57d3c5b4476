// Looks for a promise of a code that a form's draft does not keep; loaded when a form is turned on.
import { allCouponPools } from '#areas/content/web/index.ts';
import { queryClient } from '#platform/web/api/queries.ts';
import { type Advice, adviceOn, PROMISES } from './builder/advice.ts';
import { draftOf } from './builder/draft.ts';
import { api } from './queries.ts';

/** The broken promise of a form's draft, if any. */
export async function brokenPromiseOf(id: string): Promise<Advice | undefined> {
  const { data } = await api('GET /client-api/api/forms/{id}', { params: { id } });
  const draft = draftOf(data);
  const { source, pool_id: poolId } = draft.settings.coupon;
  const pools =
    source === 'pool' ? (await queryClient.fetchQuery(allCouponPools())).data : undefined;
  const left = pools && (pools.find((pool) => pool.id === poolId)?.left ?? 0);
  return adviceOn(draft, data.type, left).find((finding) => PROMISES.includes(finding));
}
