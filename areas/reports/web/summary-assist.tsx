// A summary of the report by the account's model.
import { Button, Group, Text } from '@mantine/core';
import { IconSparkles } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { AssistDialog, type AssistProgress, useIsAssisted } from '#areas/models/web/index.ts';
import { streamCall } from '#platform/web/api/event-stream.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import type { SummaryResponse } from '../contract.ts';
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
          run={async (isConfirmed, progress) => {
            const { request, summary } = await (isConfirmed
              ? streamSummary(id, progress)
              : readRequest(id));
            return { request, result: <Summary text={summary ?? ''} isWhole /> };
          }}
        />
      </Suspense>
    </>
  );
}

const SUMMARY = '/client-api/api/campaigns/{id}/report/summary';

async function readRequest(id: string): Promise<SummaryResponse> {
  const body = { is_confirmed: false };
  return (await api(`POST ${SUMMARY}`, { params: { id }, body })).data;
}

/** Requests the summary and shows it while it is being written. */
function streamSummary(id: string, { signal, show }: AssistProgress): Promise<SummaryResponse> {
  let text = '';
  return streamCall(`${SUMMARY.replace('{id}', encodeURIComponent(id))}/stream`, {
    body: { is_confirmed: true },
    signal,
    onText: (part) => {
      text += part;
      show(<Summary text={text} />);
    },
  });
}

function Summary({ text, isWhole = false }: { text: string; isWhole?: boolean }) {
  return (
    <>
      <Text style={{ whiteSpace: 'pre-line' }} dir="auto" aria-live="polite">
        {text}
      </Text>
      {isWhole && (
        <Group justify="flex-end">
          <CopyButton value={text} />
        </Group>
      )}
    </>
  );
}
