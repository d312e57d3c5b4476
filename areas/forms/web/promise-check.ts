// Asks before a form is published that promises a code without having one: in the builder, in the
// list and on the form's page.
import { allCouponPools } from '#areas/content/web/index.ts';
import { queryClient } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { type Advice, adviceOn, PROMISES } from './builder/advice.ts';
import { draftOf } from './builder/draft.ts';
import { api } from './queries.ts';

/** Resolves to true where the user publishes the form anyway. */
export function usePromiseQuestion(): (broken: Advice) => Promise<boolean> {
  const t = useTexts('forms-builder');
  return (broken) =>
    confirm({
      title: t('promise.title'),
      message: t(`advice.${broken}`),
      confirm: t('promise.anyway'),
      cancel: t('promise.set'),
    });
}

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
