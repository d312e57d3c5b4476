// The frame of a transactional email's report: the email, its statistics, and two views.
import { Outlet } from '@tanstack/react-router';
import { Stack } from '@mantine/core';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { FigureCards } from './overview-screen.tsx';
import { EMAILS, transactionalPath, useEmail } from './queries.ts';

export default function ReportLayout() {
  const t = useTexts('transactional');
  const id = useParam('transactional');
  const email = useEmail(id);
  if (email.isLoadingError) return <FailedState isPage error={email.error} retry={email.refetch} />;
  if (!email.data) return <LoadingState rows={8} />;
  const { data } = email.data;
  // Templates always have a title; emails without a template are reported together.
  const isOther = data.title === '';
  return (
    <Page
      title={isOther ? t('other.title') : data.title}
      back={
        isOther
          ? { to: EMAILS, label: t('title') }
          : { to: transactionalPath(id, 'overview'), label: t('overview') }
      }
      description={isOther ? t('other.text') : <bdi>{data.subject || t('noSubject')}</bdi>}
      tabs={
        isOther
          ? undefined
          : [
              { to: transactionalPath(id, 'report/activity'), label: t('tabs.activity') },
              { to: transactionalPath(id, 'report/heatmap'), label: t('tabs.heatmap') },
            ]
      }
    >
      <Stack gap="xl">
        <FigureCards email={data} />
        <Outlet />
      </Stack>
    </Page>
  );
}
