// Shown where an SMS is about to be sent, or was: in test mode it reaches the built-in phone only.
import { Anchor } from '@mantine/core';
import { useTexts } from '#platform/web/texts/texts.ts';
import classes from './sms.module.css';
import { useSmsSettings } from './queries.ts';

/** Whether the account's SMS reach the built-in phone only, and whether they are free. */
export function useSmsMode(): { isTest: boolean; isFree: boolean } {
  const settings = useSmsSettings().data?.data;
  return { isTest: settings?.provider === 'phone', isFree: settings?.is_free ?? false };
}

export function SmsTestNote({ to }: { to?: string }) {
  const t = useTexts('sms');
  const { isTest, isFree } = useSmsMode();
  if (!isTest) return null;
  return (
    <p className={classes.note} role="note">
      {t(isFree ? 'testMode.text' : 'testMode.paid')}{' '}
      <Anchor
        href={to === undefined ? '/phone' : `/phone?with=${encodeURIComponent(to)}`}
        target="_blank"
        underline="always"
        inherit
      >
        {t('testMode.open')}
      </Anchor>
    </p>
  );
}
