// How a relay is doing, in a dot and a word.
import { useTexts } from '#platform/web/texts.ts';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { Relay } from '../relays-contract.ts';

const TONES = {
  unknown: 'neutral',
  ready: 'success',
  waiting: 'warning',
  refused: 'danger',
} as const;

export function RelayDot({ relay }: { relay: Relay }) {
  const t = useTexts('delivery');
  if (!relay.enabled) return <StatusDot tone="neutral" label={t('health.off')} />;
  const { state } = relay.health;
  return <StatusDot tone={TONES[state]} label={t(`health.${state}`)} />;
}
