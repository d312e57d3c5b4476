// Prompts the user to confirm the publication of a form that promises a coupon code but has none:
// in the builder, in the list and on the form's page.
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { DraftIssue } from './builder/draft-issues.ts';

/** Resolves to true if the user publishes the form anyway. */
export function useMissingCouponConfirm(): (issue: DraftIssue) => Promise<boolean> {
  const t = useTexts('forms-builder');
  return (issue) =>
    confirm({
      title: t('promise.title'),
      message: t(`advice.${issue}`),
      confirm: t('promise.anyway'),
      cancel: t('promise.set'),
    });
}
