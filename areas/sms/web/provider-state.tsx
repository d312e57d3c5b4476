// How a provider of texts is doing, in a dot and a word.
import { useTexts } from '#platform/web/texts.ts';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { TextProvider } from '../providers-contract.ts';

const TONES = {
  unknown: 'neutral',
  ready: 'success',
  waiting: 'warning',
  refused: 'danger',
} as const;

export function ProviderDot({ provider }: { provider: TextProvider }) {
  const t = useTexts('sms');
  if (!provider.enabled) return <StatusDot tone="neutral" label={t('providers.health.off')} />;
  const { state } = provider.health;
  return <StatusDot tone={TONES[state]} label={t(`providers.health.${state}`)} />;
}
