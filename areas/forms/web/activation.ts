// Activates or deactivates a form in the list and on its page. If the form promises a coupon code
// without having one, the user must confirm the activation. If the user declines, or if the server
// refuses to activate the form, the builder opens at the part to fix.
import { useNavigate } from '@tanstack/react-router';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { toPublishError } from './builder/fixes.ts';
import { useMissingCouponConfirm } from './missing-coupon-confirm.ts';
import { api, builderPath, LIST_PATH } from './queries.ts';

export function useActivation({ id, title }: { id: string; title: string }) {
  const t = useTexts('forms');
  const navigate = useNavigate();
  const confirmMissingCoupon = useMissingCouponConfirm();
  const openAt = (fix: string) => void navigate({ to: builderPath(id), search: { fix } });
  const openAtFault = (error: unknown): never => {
    const fix = toPublishError(error);
    if (fix) openAt(fix);
    throw error;
  };
  return useAction(
    async (is_active: 0 | 1) => {
      const couponIssue = is_active === 1 ? await findCouponIssue(id) : undefined;
      if (couponIssue && !(await confirmMissingCoupon(couponIssue))) {
        openAt(couponIssue);
        return false;
      }
      await api('PATCH /client-api/api/forms/{id}', { params: { id }, body: { is_active } }).catch(
        openAtFault,
      );
      return true;
    },
    {
      invalidates: [LIST_PATH],
      onDone: (isTurned, is_active) => {
        if (isTurned) toast(t(is_active === 1 ? 'turned.on' : 'turned.off', { title }));
      },
    },
  );
}

/** Loaded on demand, because reading a draft needs code of the builder. */
async function findCouponIssue(id: string) {
  const { findMissingCoupon } = await import('./missing-coupon.ts');
  return findMissingCoupon(id);
}
