// A sample prize or code, shown by the success view in the builder.
import { useMemo } from 'react';
import type { ShownPrize } from '#embed/forms/shared/success.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { findCoupon, hasCodeBlock } from '../../coupon.ts';
import { useBuilder, useDraft } from './store.ts';

/**
 * @param isExact whether to omit the sample if the form has no wheel and its visitors would see no
 * code right after their sign-up
 */
export function useSamplePrize(isExact = false): ShownPrize | undefined {
  const t = useTexts('forms-builder');
  const { type } = useBuilder();
  const { document, settings } = useDraft();
  return useMemo(() => {
    const slice = settings.wheel_config?.setup[0];
    if (type === 'spinToWin')
      return slice && { slice: 0, label: slice.label, code: slice.coupon_code };
    const isShown = isExact
      ? findCoupon(type, document, settings) && !settings.double_opt_in
      : hasCodeBlock(document);
    if (!isShown) return undefined;
    const { source, prize, code } = settings.coupon;
    return { slice: 0, label: prize, code: (source === 'fixed' && code) || t('coupon.sample') };
  }, [type, document, settings, isExact, t]);
}
