// The state of an SMS provider, as a dot with a label.
import { OutletDot } from '#areas/delivery/web/index.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { SmsProvider } from '../../providers-contract.ts';

export function ProviderDot({ provider }: { provider: SmsProvider }) {
  const t = useTexts('sms');
  if (!provider.enabled) return <OutletDot state="off" label={t('providers.health.off')} />;
  const { state } = provider.health;
  return <OutletDot state={state} label={t(`providers.health.${state}`)} />;
}
