// The suppression list as the second tab of the transactional emails.
import { useTransactionalTabs } from '#areas/transactional/web/index.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { TransactionalSuppressions } from './suppressions-screen.tsx';

export default function TransactionalSuppressionsScreen() {
  const t = useTexts('transactional');
  return <TransactionalSuppressions title={t('title')} tabs={useTransactionalTabs()} />;
}
