// Shared parts of the reports on SMS campaigns, workflow steps and transactional SMS: navigation,
// five counters, links.
import { Anchor, Group, Paper, SimpleGrid, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { LinksTable } from '#areas/tracking/web/index.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { ReportView } from '../paths.ts';

export function ReportViews<View extends ReportView>(props: {
  views: readonly View[];
  view: View;
  getPath: (view: View) => string;
}) {
  const { views, view, getPath } = props;
  const t = useTexts('sms');
  return (
    <nav aria-label={t('acts.report')}>
      <Group gap="md" mb="lg">
        {views.map((name) => (
          <Anchor
            key={name}
            component={Link}
            to={getPath(name)}
            fw={name === view ? 600 : undefined}
            aria-current={name === view ? 'page' : undefined}
          >
            {t(`report.${name as ReportView}`)}
          </Anchor>
        ))}
      </Group>
    </nav>
  );
}

type SmsReportFigures = Record<
  'sent' | 'accepted' | 'clicks' | 'unsubscribes' | 'failed',
  number
> & {
  delivered: number | null;
};
type ReportCounter = 'sent' | 'delivered' | 'clickRate' | 'unsubscribed' | 'failed';

/**
 * Shows the counters. The number of deliveries is shown once the provider has sent a receipt.
 * @param props.paths the lists that counters link to
 */
export function ReportCounters(props: {
  counts: SmsReportFigures;
  paths: Partial<Record<ReportCounter, string>>;
}) {
  const { counts, paths } = props;
  const t = useTexts('sms');
  const { number, percent } = useFormats();
  const { sent, accepted, delivered, clicks, unsubscribes, failed } = counts;
  const counters: { name: ReportCounter; count: number; total: number }[] = [
    { name: 'sent', count: sent, total: sent },
    ...(delivered === null ? [] : [{ name: 'delivered' as const, count: delivered, total: sent }]),
    { name: 'clickRate', count: clicks, total: accepted },
    { name: 'unsubscribed', count: unsubscribes, total: accepted },
    { name: 'failed', count: failed, total: sent },
  ];
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: counters.length }} spacing="md">
      {counters.map(({ name, count, total }) => (
        <Paper key={name} withBorder p="md">
          <Text size="sm" c="dimmed">
            {paths[name] ? (
              <Anchor component={Link} to={paths[name]} size="sm">
                {t(`report.${name}`)}
              </Anchor>
            ) : (
              t(`report.${name}`)
            )}
          </Text>
          <Text fw={600} fz="xl">
            {percent(total === 0 ? 0 : count / total)}
          </Text>
          <Text size="sm">{number(count)}</Text>
        </Paper>
      ))}
    </SimpleGrid>
  );
}

type FollowedLink = { url: string; clicks: number; people: number };

export function ReportLinks<Row extends FollowedLink>(props: {
  query: UseQueryResult<{ data: Row[] }>;
  getPath?: (link: Row) => string;
}) {
  const { query, getPath } = props;
  const t = useTexts('sms');
  if (query.isLoadingError)
    return <FailedState error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <LoadingState rows={3} />;
  const links = query.data.data;
  if (links.length === 0) return <Text c="dimmed">{t('report.noLinks')}</Text>;
  const labels = { link: t('report.link'), clicks: t('report.clicks'), people: t('report.people') };
  return <LinksTable links={links} texts={labels} {...(getPath ? { getPath } : {})} />;
}
