// Exports of the transactional area for screens: the tabs that its list shares with suppressions.
import { useTexts } from '#platform/web/texts/texts.ts';
import { EMAILS } from './queries.ts';

export function useTransactionalTabs() {
  const t = useTexts('transactional');
  return [
    { to: EMAILS, label: t('tabs.emails') },
    { to: '/transactional/sms', label: t('tabs.texts') },
    { to: '/transactional/smtp', label: t('tabs.smtp') },
    { to: '/transactional/suppression_list', label: t('tabs.suppressions') },
  ];
}
