// The forecast of a sent campaign compared with the results, and how often the account's forecasts
// were right.
import { Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { DONE_SHARE } from '../../forecast-shared.ts';
import { FiguresTable } from './figures-table.tsx';
import { api } from './forecast-api.ts';

/** Renders nothing for campaigns without a forecast. */
export default function ForecastResult({ id }: { id: string }) {
  const t = useTexts('forecast');
  const { number, percent } = useFormats();
  const forecastQuery = useQuery({
    ...api.query('GET /client-api/api/campaigns/{id}/forecast', { params: { id } }),
    // A missing forecast must not hide the report.
    meta: { notFound: 'inline' },
  });
  const storedForecast = forecastQuery.data?.data;
  if (!storedForecast) return null;
  const { forecast, truth, compared, inside } = storedForecast;
  const hits = { inside: number(inside), compared: number(compared) };
  return (
    <Paper withBorder p="md" mt="lg">
      <Text component="h2" fw={600} mb="xs">
        {t('compare')}
      </Text>
      <Stack gap="sm">
        {truth === null && (
          <Text size="sm" c="dimmed">
            {t('later')}
          </Text>
        )}
        <FiguresTable forecast={forecast} truth={truth} />
        <Text size="sm" c="dimmed">
          {t('doneMeans', { share: percent(DONE_SHARE) })}
        </Text>
        {compared > 0 && (
          <Text size="sm" c="dimmed">
            {t('inside', hits)}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
