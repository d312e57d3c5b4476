// How a relay is doing, in a dot and a word.
import { useTexts } from '#platform/web/texts.ts';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { ListedRelay, Relay } from '../relays-contract.ts';

const TONES = {
  unknown: 'neutral',
  ready: 'success',
  waiting: 'warning',
  refused: 'danger',
} as const;

export function RelayDot({ relay }: { relay: Relay | ListedRelay }) {
  const t = useTexts('delivery');
  if (!relay.enabled) return <StatusDot tone="neutral" label={t('health.off')} />;
  const { state } = relay.health;
  // It would take mails, but gets none of campaigns for now.
  if (state === 'ready' && 'quotas' in relay && relay.quotas.some((quota) => quota.more_at)) {
    return <StatusDot tone="warning" label={t('health.usedUp')} />;
  }
  return <StatusDot tone={TONES[state]} label={t(`health.${state}`)} />;
}
