// Downgrades to a smaller or shorter plan, or to the free one. The user confirms a list of what the
// new plan does not include; the downgrade takes effect at the end of the paid period.
import { useNavigate } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { Billing } from '../contract.ts';
import type { Duration, Feature } from '../shared.ts';
import { api, type Plans, invalidateBilling } from './queries.ts';

interface DowngradeLimits {
  subscribers: number | null;
  emails: number | null;
}

interface DowngradeTarget extends DowngradeLimits {
  title: string;
  features: readonly Feature[];
  body: { plan_id: string | null; size?: number; duration?: Duration };
}

/**
 * Returns a function that describes a plan's limits. An unlimited number of subscribers is omitted,
 * and unlimited emails have their own text.
 */
export function useLimits() {
  const t = useTexts('billing');
  const { number } = useFormats();
  return ({ subscribers, emails }: DowngradeLimits): string[] => [
    ...(subscribers === null
      ? []
      : [t('upgrade.people', { count: subscribers, size: number(subscribers) })]),
    emails === null
      ? t('features.unlimited_emails')
      : t('upgrade.emails', { count: emails, emails: number(emails) }),
  ];
}

export function useDowngrade({ plans }: Plans, currentPlan: Billing['plan']) {
  const t = useTexts('billing');
  const { date, list } = useFormats();
  const navigate = useNavigate();
  const limits = useLimits();
  return async ({ title, features, body, ...to }: DowngradeTarget) => {
    const currentFeatures =
      plans.find((plan) => plan.id === currentPlan.plan_id)?.features ?? currentPlan.features;
    const lostFeatures = currentFeatures.filter((feature) => !features.includes(feature));
    const untilText = currentPlan.valid_to ? date(currentPlan.valid_to) : '';
    const isDone = await confirm({
      title: t('downgrade.title', { plan: title }),
      message: [
        t('downgrade.text', { date: untilText }),
        ...(lostFeatures.length > 0
          ? [
              t('downgrade.lost', {
                plan: title,
                features: list(lostFeatures.map((feature) => t(`features.${feature}`))),
              }),
            ]
          : []),
        t('downgrade.limits', { limits: list(limits(to)) }),
      ].join(' '),
      confirm: t('upgrade.downgrade', { plan: title }),
      cancel: t('downgrade.stay', { plan: currentPlan.title }),
      isDanger: true,
      run: () => api('PUT /client-api/api/billing/next', { body }),
    });
    if (!isDone) return;
    toast(t('downgrade.done', { plan: title, date: untilText }));
    await invalidateBilling();
    await navigate({ to: '/settings/billing' });
  };
}
