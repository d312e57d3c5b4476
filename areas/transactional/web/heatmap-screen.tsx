// The newest content as sent, with the human clicks on each link.
import { Table, Text } from '@mantine/core';
import { IconFlame } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ApiError } from '#platform/web/api/api.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { drawClicks } from './draw-clicks.ts';
import classes from './heatmap.module.css';
import { api } from './queries.ts';

export default function HeatmapScreen() {
  const t = useTexts('transactional');
  const { number } = useFormats();
  const id = useParam('transactional');
  const heatmapQuery = useQuery(
    api.query('GET /client-api/api/transactional/{id}/heatmap', { params: { id } }),
  );
  const heatmap = heatmapQuery.data?.data;
  const page = useMemo(
    () => (heatmap?.html ? drawClicks(heatmap.html, heatmap.links, number) : undefined),
    [heatmap, number],
  );
  if (heatmapQuery.error instanceof ApiError && heatmapQuery.error.code === 'not_sent_yet') {
    return (
      <EmptyState icon={IconFlame} title={t('heatmap.notSent')}>
        {t('heatmap.notSentText')}
      </EmptyState>
    );
  }
  if (heatmapQuery.isError && !heatmapQuery.data)
    return <FailedState error={heatmapQuery.error} retry={() => void heatmapQuery.refetch()} />;
  if (!heatmap) return <LoadingState rows={8} />;
  return (
    <>
      {page ? (
        <iframe
          className={classes.mail}
          title={t('tabs.heatmap')}
          sandbox="allow-popups"
          referrerPolicy="no-referrer"
          srcDoc={page}
        />
      ) : (
        <Text c="dimmed">{t('heatmap.plain')}</Text>
      )}
      {heatmap.links.length > 0 && (
        <Table mt="md" aria-label={t('heatmap.links')}>
          <Table.Tbody>
            {heatmap.links.map(({ position, url, human_clicks }) => (
              <Table.Tr key={position}>
                <Table.Td>
                  <bdi dir="ltr">{url}</bdi>
                </Table.Td>
                <Table.Td align="right">{number(human_clicks)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </>
  );
}
