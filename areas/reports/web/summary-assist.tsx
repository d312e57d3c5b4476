// A summary of the report by the account's model.
import { Button, Group, Text } from '@mantine/core';
import { IconSparkles } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { AssistDialog, useIsAssisted } from '#areas/models/web/index.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import { api } from './queries.ts';

export function SummaryAssist({ id }: { id: string }) {
  const t = useTexts('reports');
  const [isOpen, setOpen] = useState(false);
  if (!useIsAssisted()) return null;
  return (
    <>
      <Button
        variant="default"
        mb="md"
        leftSection={<IconSparkles size={18} stroke={1.75} />}
        onClick={() => setOpen(true)}
      >
        {t('summarize')}
      </Button>
      <Suspense>
        <AssistDialog
          title={t('summarize')}
          isOpen={isOpen}
          close={() => setOpen(false)}
          run={async (is_confirmed) => {
            const { data } = await api('POST /client-api/api/campaigns/{id}/report/summary', {
              params: { id },
              body: { is_confirmed },
            });
            return { request: data.request, result: <Summary text={data.summary ?? ''} /> };
          }}
        />
      </Suspense>
    </>
  );
}

function Summary({ text }: { text: string }) {
  return (
    <>
      <Text style={{ whiteSpace: 'pre-line' }} dir="auto">
        {text}
      </Text>
      <Group justify="flex-end">
        <CopyButton value={text} />
      </Group>
    </>
  );
}
