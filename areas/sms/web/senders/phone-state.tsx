// The state of a sender, as a dot with a label.
import { useTexts } from '#platform/web/texts/texts.ts';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { Phone } from '../../contract.ts';

const TONES = {
  draft: 'warning',
  pending: 'warning',
  active: 'success',
  rejected: 'danger',
  released: 'neutral',
} as const;

export function PhoneState({ phone }: { phone: Phone }) {
  const t = useTexts('sms');
  if (phone.is_shared) return <StatusDot tone="danger" label={t('owner.paused')} />;
  if (phone.missing.length === 1 && phone.missing[0] === 'owner') {
    return <StatusDot tone="warning" label={t('owner.title')} />;
  }
  return <StatusDot tone={TONES[phone.status]} label={t(`phones.states.${phone.status}`)} />;
}
