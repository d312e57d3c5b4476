// A note, shown before and after an SMS is sent, that SMS reach only the built-in phone in test
// mode.
import { useTexts } from '#platform/web/texts/texts.ts';
import { ToolNote } from '#platform/web/ui/test-mode.tsx';
import { useSmsSettings } from './queries.ts';

/** Returns whether the account's SMS reach only the built-in phone, and whether they are free. */
export function useSmsMode(): { isTest: boolean; isFree: boolean } {
  const settings = useSmsSettings().data?.data;
  return { isTest: settings?.provider === 'phone', isFree: settings?.is_free ?? false };
}

export function SmsTestNote({ to }: { to?: string }) {
  const t = useTexts('sms');
  const { isTest, isFree } = useSmsMode();
  if (!isTest) return null;
  return (
    <ToolNote
      text={t(isFree ? 'testMode.text' : 'testMode.paid')}
      href={to === undefined ? '/phone' : `/phone?with=${encodeURIComponent(to)}`}
      linkText={t('testMode.open')}
    />
  );
}
