// Five counters, each with the way to its list, and the links.
import { Anchor, Paper, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Earnings } from '#areas/stores/web/index.ts';
import { useFormats } from '#platform/web/formats.ts';
import { useTexts } from '#platform/web/texts.ts';
import { FailedState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/use-param.ts';
import type { SmsCampaign } from '../contract.ts';
import { type ReportView, reportPath } from './paths.ts';
import { api } from './queries.ts';
import { ReportLinks } from './report-links.tsx';
import { ReportShares } from './report-shares.tsx';
import { ReportPage } from './report-page.tsx';

export default function ReportOverview() {
  const t = useTexts('sms');
  const id = useParam('sms');
  return (
    <ReportPage id={id} view="overview">
      {({ figures }) =>
        figures === null ? (
          <Text c="dimmed">{t('noFigure')}</Text>
        ) : (
          <>
            <Counters id={id} figures={figures} />
            <Sales id={id} recipients={figures.sent} />
            <Text component="h2" fw={600} mt="xl" mb="sm">
              {t('report.links')}
            </Text>
            <ReportLinks id={id} />
            <ReportShares id={id} />
          </>
        )
      }
    </ReportPage>
  );
}

function Sales({ id, recipients }: { id: string; recipients: number }) {
  const earned = useQuery(
    api.query('GET /client-api/api/sms/campaign/{id}/report/earned', { params: { id } }),
  );
  if (earned.isLoadingError) {
    return <FailedState error={earned.error} retry={() => void earned.refetch()} />;
  }
  return <Earnings earned={earned.data?.data ?? null} recipients={recipients} />;
}

type Figures = NonNullable<SmsCampaign['figures']>;

function Counters({ id, figures }: { id: string; figures: Figures }) {
  const t = useTexts('sms');
  const { number, percent } = useFormats();
  const { sent, delivered, clicks, unsubscribes, failed } = figures;
  const counters: { name: string; count: number; of: number; to?: ReportView }[] = [
    { name: 'sent', count: sent, of: sent },
    { name: 'delivered', count: delivered, of: sent },
    { name: 'clickRate', count: clicks, of: delivered, to: 'clicks' },
    { name: 'unsubscribed', count: unsubscribes, of: delivered, to: 'unsubscribes' },
    { name: 'failed', count: failed, of: sent, to: 'delivery-failed' },
  ];
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="md">
      {counters.map(({ name, count, of, to }) => (
        <Paper key={name} withBorder p="md">
          <Text size="sm" c="dimmed">
            {to ? (
              <Anchor component={Link} to={reportPath(id, to)} size="sm">
                {t(`report.${name}`)}
              </Anchor>
            ) : (
              t(`report.${name}`)
            )}
          </Text>
          <Text fw={600} fz="xl">
            {percent(of === 0 ? 0 : count / of)}
          </Text>
          <Text size="sm">{number(count)}</Text>
        </Paper>
      ))}
    </SimpleGrid>
  );
}
