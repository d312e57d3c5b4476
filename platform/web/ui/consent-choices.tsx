// Consent to third-party scripts, changeable at any time.
import { Switch } from '@mantine/core';
import { useStore } from '../store.ts';
import { useTexts } from '../texts/texts.ts';
import { saveConsent, configuredSlots, consents, offeredSlots } from '../shell/third-parties.ts';

export function useOfferedSlots() {
  return offeredSlots(useStore(configuredSlots));
}

export function ConsentChoices() {
  const t = useTexts('platform');
  const decisions = useStore(consents);
  return useOfferedSlots().map((slot) => (
    <Switch
      key={slot}
      label={t(`consent.slots.${slot}`)}
      checked={decisions[slot] ?? false}
      onChange={({ currentTarget: { checked } }) => saveConsent({ [slot]: checked })}
    />
  ));
}
