// Shows the forecast of a draft and suggests excluding recipients if this loses few clicks. The
// forecast never prevents sending.
import { Button, Group, Paper, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { notice } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import type { CampaignForecast } from '../../forecast-contract.ts';
import { FiguresTable, hasUnknownEnd, useDoneRange } from './figures-table.tsx';
import { DONE_SHARE } from '../../forecast-shared.ts';
import { api, LIST_PATH, PROVIDERS } from './forecast-api.ts';

interface Props {
  id: string;
  revision: number;
}

/** Polling interval while the forecast is being counted. */
const POLL_MS = 2_000;
const STALE_MS = 60_000;

export function useForecast(id: string, revision: number) {
  return useQuery({
    queryKey: [`${LIST_PATH}/${id}/forecast`, revision],
    queryFn: ({ signal }) =>
      api('POST /client-api/api/campaigns/{id}/forecast', { params: { id }, body: {}, signal }),
    staleTime: STALE_MS,
    // A missing forecast must not prevent sending.
    meta: { notFound: 'inline' },
    refetchInterval: ({ state }) => (state.data?.counting ? POLL_MS : false),
  });
}

export default function SendForecast({ id, revision }: Props) {
  const t = useTexts('forecast');
  const forecastQuery = useForecast(id, revision);
  const isCounting = forecastQuery.isPending || forecastQuery.data?.counting === true;
  const forecast = forecastQuery.data?.data;
  if (!isCounting && !forecast) return null;
  return (
    <Paper withBorder p="md">
      <Text component="h2" fw={600} mb="xs">
        {t('title')}
      </Text>
      {forecast ? (
        <ForecastDetails forecast={forecast} id={id} revision={revision} />
      ) : (
        <div role="status">
          <Text size="sm" c="dimmed" mb="xs">
            {t('counting')}
          </Text>
          <LoadingState rows={4} />
        </div>
      )}
    </Paper>
  );
}

function ForecastDetails({ forecast, id, revision }: Props & { forecast: CampaignForecast }) {
  const t = useTexts('forecast');
  const { number, list } = useFormats();
  const { campaigns, silent, metrics } = forecast;
  const basis = campaigns > 0 ? t('basis', { total: number(campaigns) }) : t('noBasis');
  const names = list(silent.map((mailbox) => PROVIDERS[mailbox] ?? t('other')));
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {basis}
      </Text>
      <FiguresTable forecast={forecast} />
      <WhenDone forecast={forecast} />
      {silent.length > 0 && metrics.complaints !== null && (
        <Text size="sm" c="dimmed">
          {t('silent', { names })}
        </Text>
      )}
      {metrics.complaints === null && (
        <Text size="sm" c="dimmed">
          {t('noReports')}
        </Text>
      )}
      {forecast.suggestions.map((suggestion) => (
        <Suggestion key={suggestion.months} suggestion={suggestion} id={id} revision={revision} />
      ))}
      {forecast.mailboxes.length > 1 && <Providers forecast={forecast} />}
    </Stack>
  );
}

/** Explains what "done" means, what delays it, and where it is uncertain. */
function WhenDone({ forecast }: { forecast: CampaignForecast }) {
  const t = useTexts('forecast');
  const { dateTime, percent, list } = useFormats();
  const { done, mailboxes } = forecast;
  if (done === null) return <Text size="sm">{t('doneUnknown')}</Text>;
  if (hasUnknownEnd(done)) return <Text size="sm">{t(`limit.${done.limit}`)}</Text>;
  const unknown = mailboxes.filter(({ done: mailboxDone }) => mailboxDone?.retries === 'usual');
  const names = list(unknown.map(({ mailbox }) => PROVIDERS[mailbox] ?? t('other')));
  const { last } = done;
  return (
    <>
      <Text size="sm">
        {t('doneMeans', { share: percent(DONE_SHARE) })}{' '}
        {last === null ? t('doneLater') : t('lastRetries', { last: dateTime(last) })}{' '}
        {t(`limit.${done.limit}`)}
      </Text>
      {unknown.length > 0 && forecast.campaigns > 0 && (
        <Text size="sm" c="dimmed">
          {t('usualRetries', { names })}
        </Text>
      )}
    </>
  );
}

export function Suggestion(props: Props & { suggestion: CampaignForecast['suggestions'][number] }) {
  const t = useTexts('forecast');
  const { number, percent } = useFormats();
  const { suggestion, id, revision } = props;
  const { months, people, clicks, bounces, complaints } = suggestion;
  const exclude = useMutation({
    mutationFn: () =>
      api('POST /client-api/api/campaigns/{id}/forecast/exclusion', {
        params: { id },
        body: { months, revision },
      }),
    onSuccess: () => {
      notice(t('excluded'));
      return invalidate(`${LIST_PATH}/${id}`, LIST_PATH);
    },
  });
  const values = {
    ...{ total: number(people), months: number(months), clicks: percent(clicks) },
    ...{ bounces: percent(bounces), complaints: percent(complaints ?? 0) },
  };
  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm" flex="1 1 260px">
        {t(complaints === null ? 'suggest' : 'suggestComplaints', values)}
      </Text>
      <Button
        variant="default"
        size="compact-sm"
        loading={exclude.isPending}
        onClick={() => exclude.mutate()}
      >
        {t('exclude')}
      </Button>
    </Group>
  );
}

const COLUMNS = ['delivered', 'opens', 'clicks', 'bounces'] as const;

function Providers({ forecast }: { forecast: CampaignForecast }) {
  const t = useTexts('forecast');
  const { number } = useFormats();
  const range = useDoneRange();
  return (
    <details>
      <summary>{t('providers')}</summary>
      <Table.ScrollContainer minWidth={560} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('provider')}</Table.Th>
              <Table.Th scope="col">{t('people')}</Table.Th>
              <Table.Th scope="col">{t('metrics.done')}</Table.Th>
              {COLUMNS.map((metric) => (
                <Table.Th key={metric} scope="col">
                  {t(`metrics.${metric}`)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {forecast.mailboxes.map(({ mailbox, people, metrics, done }) => (
              <Table.Tr key={mailbox}>
                <Table.Th scope="row" fw={400}>
                  {PROVIDERS[mailbox] ?? t('other')}
                </Table.Th>
                <Table.Td>{number(people)}</Table.Td>
                <Table.Td title={done ? t(`limit.${done.limit}`) : undefined}>
                  {done && !hasUnknownEnd(done) ? range(done) : t('unknown')}
                </Table.Td>
                {COLUMNS.map((metric) => {
                  const { low, mid, high } = metrics[metric];
                  const between = t('between', { low: number(low), high: number(high) });
                  return (
                    <Table.Td key={metric} title={between}>
                      {number(mid)}
                    </Table.Td>
                  );
                })}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </details>
  );
}
