// The status of a channel as a dot with a label.
import type { SubscriptionStatus } from '#areas/subscribers/shared.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { StatusDot, type Tone } from '#platform/web/ui/status-dot.tsx';

const TONES: Record<SubscriptionStatus, Tone> = {
  active: 'success',
  'non-subscribed': 'neutral',
  unsubscribed: 'warning',
  bounced: 'danger',
  reported: 'danger',
};

export function Status({ status }: { status: SubscriptionStatus }) {
  const t = useTexts('audience');
  return <StatusDot tone={TONES[status]} label={t(`statuses.${status}`)} />;
}
