// Shows the state of a relay as a dot with a label.
import { useTexts } from '#platform/web/texts/texts.ts';
import type { ListedRelay, RelayView } from '../relays-contract.ts';
import { OutletDot } from './outlets/outlet-card.tsx';

export function RelayDot({ relay }: { relay: RelayView | ListedRelay }) {
  const t = useTexts('delivery');
  if (!relay.enabled) return <OutletDot state="off" label={t('health.off')} />;
  const { state } = relay.health;
  // The relay works, but it gets no campaign emails until its limit allows more.
  if (state === 'ready' && 'quotas' in relay && relay.quotas.some((quota) => quota.more_at)) {
    return <OutletDot state="waiting" label={t('health.usedUp')} />;
  }
  return <OutletDot state={state} label={t(`health.${state}`)} />;
}
