// Requests consent to third-party scripts once, below the screen without blocking it.
import { Button, Checkbox, Group } from '@mantine/core';
import { useState } from 'react';
import classes from './consent-banner.module.css';
import { useStore } from '../store.ts';
import { useTexts } from '../texts/texts.ts';
import {
  saveConsent,
  configuredSlots,
  type Consents,
  consents,
  offeredSlots,
  type Slot,
} from './third-parties.ts';

export default function ConsentBanner() {
  const t = useTexts('platform');
  const decisions = useStore(consents);
  const openSlots = offeredSlots(useStore(configuredSlots)).filter(
    (slot) => decisions[slot] === undefined,
  );
  const [refused, setRefused] = useState<readonly Slot[]>([]);
  if (openSlots.length === 0) return null;
  const decideAll = (isAllowed: (slot: Slot) => boolean) =>
    saveConsent(Object.fromEntries(openSlots.map((slot) => [slot, isAllowed(slot)])) as Consents);
  return (
    <section className={classes.banner} aria-label={t('consent.title')}>
      <div>
        <h2 className={classes.title}>{t('consent.title')}</h2>
        <p className={classes.text}>{t('consent.text')}</p>
      </div>
      <div className={classes.slots}>
        {openSlots.map((slot) => (
          <Checkbox
            key={slot}
            label={t(`consent.slots.${slot}`)}
            checked={!refused.includes(slot)}
            onChange={({ currentTarget: { checked } }) =>
              setRefused(checked ? refused.filter((name) => name !== slot) : [...refused, slot])
            }
          />
        ))}
      </div>
      <Group gap="xs">
        <Button variant="default" onClick={() => decideAll(() => false)}>
          {t('consent.refuse')}
        </Button>
        <Button onClick={() => decideAll((slot) => !refused.includes(slot))}>
          {t('consent.allow')}
        </Button>
      </Group>
    </section>
  );
}
