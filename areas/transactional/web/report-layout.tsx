// Layout of a report: the email, its figures, its two views.
import { Outlet } from '@tanstack/react-router';
import { Stack } from '@mantine/core';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { Figures } from './overview-screen.tsx';
import { pathOf, useEmail } from './queries.ts';

export default function ReportLayout() {
  const t = useTexts('transactional');
  const id = useParam('transactional');
  const email = useEmail(id);
  if (email.isLoadingError) return <FailedState isPage error={email.error} retry={email.refetch} />;
  if (!email.data) return <LoadingState rows={8} />;
  const { data } = email.data;
  return (
    <Page
      title={data.title}
      back={{ to: pathOf(id, 'overview'), label: t('overview') }}
      description={<bdi>{data.subject || t('noSubject')}</bdi>}
      tabs={[
        { to: pathOf(id, 'report/activity'), label: t('tabs.activity') },
        { to: pathOf(id, 'report/heatmap'), label: t('tabs.heatmap') },
      ]}
    >
      <Stack gap="xl">
        <Figures email={data} />
        <Outlet />
      </Stack>
    </Page>
  );
}
