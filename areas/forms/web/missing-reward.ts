// Checks whether a form's draft promises a code that it does not have; loaded when a form is
// activated.
import { allCouponPools } from '#areas/content/web/index.ts';
import { queryClient } from '#platform/web/api/queries.ts';
import { type Advice, adviceOn, PROMISES } from './builder/advice.ts';
import { draftOf } from './builder/draft.ts';
import { api } from './queries.ts';

/** The finding about a code that the draft promises and does not have, if any. */
export async function brokenPromiseOf(id: string): Promise<Advice | undefined> {
  const { data } = await api('GET /client-api/api/forms/{id}', { params: { id } });
  const draft = draftOf(data);
  const { source, pool_id: poolId } = draft.settings.coupon;
  const pools =
    source === 'pool' ? (await queryClient.fetchQuery(allCouponPools())).data : undefined;
  const codesLeft = pools && (pools.find((pool) => pool.id === poolId)?.left ?? 0);
  return adviceOn(draft, data.type, codesLeft).find((finding) => PROMISES.includes(finding));
}
