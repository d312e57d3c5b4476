// Attribution windows: how long after a click, an open or a delivery an order is still attributed
// to it.
import { Button, Group, Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { AttributionWindows } from '../contract.ts';
import { TOUCHES } from '../shared.ts';
import { api } from './queries.ts';

const PATH = '/client-api/api/attribution';
const OFFERED = [0, 1, 6, 12, 24, 48, 72, 120, 168, 336, 720];

export default function AttributionScreen() {
  const t = useTexts('reports');
  const windows = useQuery(api.query('GET /client-api/api/attribution'));
  return (
    <Page title={t('attribution.title')} description={t('attribution.description')} width="reading">
      {windows.isLoadingError ? (
        <FailedState error={windows.error} retry={() => void windows.refetch()} />
      ) : windows.data ? (
        <Form windows={windows.data.data} />
      ) : (
        <LoadingState rows={4} />
      )}
    </Page>
  );
}

function Form({ windows }: { windows: AttributionWindows }) {
  const t = useTexts('reports');
  const { duration } = useFormats();
  const [values, setValues] = useState(windows);
  const save = useAction(() => api('PUT /client-api/api/attribution', { body: values }), {
    invalidates: [PATH],
    onDone: () => toast(t('attribution.saved')),
  });
  const labelOf = (hours: number) => (hours === 0 ? t('attribution.never') : duration(hours));
  return (
    <Stack gap="md" maw={420}>
      {TOUCHES.map((interaction) => (
        <Select
          key={interaction}
          label={t(`attribution.${interaction}`)}
          allowDeselect={false}
          data={[...new Set([...OFFERED, windows[interaction]])]
            .sort((a, b) => a - b)
            .map((hours) => ({ value: String(hours), label: labelOf(hours) }))}
          value={String(values[interaction])}
          onChange={(hours) => setValues((now) => ({ ...now, [interaction]: Number(hours) }))}
        />
      ))}
      <Group justify="flex-end">
        <Button loading={save.isPending} onClick={() => save.mutate(undefined)}>
          {t('attribution.save')}
        </Button>
      </Group>
    </Stack>
  );
}
