// Shows the conditions that the account's model proposes for a description, as a sentence.
import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconSparkles } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { AssistDialog, useIsAssisted } from '#areas/models/web/index.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { WordsResponse } from '../contract.ts';
import { writeFilter } from '../filter-grammar.ts';
import { api } from './queries.ts';

const MAX_DESCRIPTION_LENGTH = 1000;
const MIN_DESCRIPTION_LENGTH = 3;

export function DescriptionAssist({ onSelect }: { onSelect: (filter: string) => void }) {
  const t = useTexts('segments');
  const [words, setWords] = useState('');
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  if (!useIsAssisted()) return null;
  return (
    <Stack gap="xs" mb="md">
      <Textarea
        label={t('words.label')}
        placeholder={t('words.example')}
        autosize
        maxLength={MAX_DESCRIPTION_LENGTH}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
      />
      <Group>
        <Button
          variant="default"
          leftSection={<IconSparkles size={18} stroke={1.75} />}
          disabled={words.trim().length < MIN_DESCRIPTION_LENGTH}
          onClick={() => setOpen(true)}
        >
          {t('words.find')}
        </Button>
      </Group>
      <Suspense>
        <AssistDialog
          title={t('words.find')}
          isOpen={isOpen}
          close={close}
          run={async (is_confirmed, { signal }) => {
            const body = { words: words.trim(), is_confirmed };
            const { data } = await api('POST /client-api/api/filters/from_words', {
              body,
              signal,
            });
            const use = (filter: string) => {
              onSelect(filter);
              close();
            };
            return { request: data.request, result: <Proposal proposal={data} onSelect={use} /> };
          }}
        />
      </Suspense>
    </Stack>
  );
}

interface ProposalProps {
  proposal: WordsResponse;
  onSelect: (filter: string) => void;
}

function Proposal({ proposal, onSelect }: ProposalProps) {
  const t = useTexts('segments');
  const { number } = useFormats();
  const { conditions, sentence, subscribers } = proposal;
  return (
    <>
      <Text>
        <bdi>{sentence}</bdi>
      </Text>
      <Text c="dimmed">{t('words.found', { count: number(subscribers ?? 0) })}</Text>
      <Group justify="flex-end">
        <Button onClick={() => onSelect(writeFilter(conditions ?? []))}>{t('words.use')}</Button>
      </Group>
    </>
  );
}
