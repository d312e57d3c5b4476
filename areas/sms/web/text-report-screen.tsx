// What became of the texts of a workflow's step, or of transactional ones of one title: their counters, and each of its links.
import { Anchor, Group, Paper, SimpleGrid, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { useFormats } from '#platform/web/formats.ts';
import { useTexts } from '#platform/web/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/use-param.ts';
import { textReportPath } from './paths.ts';
import { textReports as api } from './queries.ts';

const BACK = {
  sms_workflow: (t: ReturnType<typeof useTexts>) => ({
    to: '/automation/index',
    label: t('stepReport.back'),
  }),
  sms_transactional: (t: ReturnType<typeof useTexts>) => ({
    to: '/transactional/sms',
    label: t('stepReport.backToTexts'),
  }),
};

const VIEWS = ['overview', 'clicks'] as const;

export default function TextReportScreen() {
  const t = useTexts('sms');
  const id = useParam('step');
  const { pathname } = useLocation();
  const view = /\/clicks\/?$/.test(pathname) ? 'clicks' : 'overview';
  const report = useQuery(
    api.query('GET /client-api/api/transactional/sms/{id}/report', { params: { id } }),
  );
  if (report.isLoadingError)
    return <FailedState error={report.error} retry={() => void report.refetch()} />;
  if (!report.data) return <LoadingState rows={6} />;
  const { of, text, sender, figures } = report.data.data;
  return (
    <Page
      title={<bdi>{text.split('\n')[0]?.slice(0, 80) || t('stepReport.title')}</bdi>}
      description={t('stepReport.from', { sender: `\u2068${sender}\u2069` })}
      back={BACK[of](t)}
    >
      <nav aria-label={t('acts.report')}>
        <Group gap="md" mb="lg">
          {VIEWS.map((name) => (
            <Anchor
              key={name}
              component={Link}
              to={textReportPath(id, name)}
              fw={name === view ? 600 : undefined}
              aria-current={name === view ? 'page' : undefined}
            >
              {t(`report.${name}`)}
            </Anchor>
          ))}
        </Group>
      </nav>
      {view === 'overview' && <Counters id={id} figures={figures} />}
      {view === 'overview' && (
        <Text component="h2" fw={600} mt="xl" mb="sm">
          {t('report.links')}
        </Text>
      )}
      <Links id={id} />
    </Page>
  );
}

type Figures = Record<'sent' | 'delivered' | 'clicks' | 'unsubscribes' | 'failed', number>;

function Counters({ id, figures }: { id: string; figures: Figures }) {
  const t = useTexts('sms');
  const { number, percent } = useFormats();
  const { sent, delivered, clicks, unsubscribes, failed } = figures;
  const counters = [
    { name: 'sent', count: sent, of: sent },
    { name: 'delivered', count: delivered, of: sent },
    { name: 'clickRate', count: clicks, of: delivered, to: textReportPath(id, 'clicks') },
    { name: 'unsubscribed', count: unsubscribes, of: delivered },
    { name: 'failed', count: failed, of: sent },
  ];
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="md">
      {counters.map(({ name, count, of, to }) => (
        <Paper key={name} withBorder p="md">
          <Text size="sm" c="dimmed">
            {to ? (
              <Anchor component={Link} to={to} size="sm">
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

function Links({ id }: { id: string }) {
  const t = useTexts('sms');
  const { number } = useFormats();
  const links = useQuery(
    api.query('GET /client-api/api/transactional/sms/{id}/report/clicks', { params: { id } }),
  );
  if (links.isLoadingError)
    return <FailedState error={links.error} retry={() => void links.refetch()} />;
  if (!links.data) return <LoadingState rows={3} />;
  if (links.data.data.length === 0) return <Text c="dimmed">{t('report.noLinks')}</Text>;
  return (
    <Table.ScrollContainer minWidth={320}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('report.link')}</Table.Th>
            <Table.Th ta="end">{t('report.clicks')}</Table.Th>
            <Table.Th ta="end">{t('report.people')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {links.data.data.map(({ url, clicks, people }) => (
            <Table.Tr key={url}>
              <Table.Td>
                <bdi dir="ltr">{url}</bdi>
              </Table.Td>
              <Table.Td ta="end">{number(clicks)}</Table.Td>
              <Table.Td ta="end">{number(people)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
