// Subject lines proposed by the account's model from the source of the email.
import { Button, Group } from '@mantine/core';
import { IconSparkles } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import {
  AssistDialog,
  type AssistProgress,
  suggestTexts,
  useIsAssisted,
} from '#areas/models/web/index.ts';
import type { Language } from '#platform/languages.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Campaign } from '../contract.ts';
import { api } from './queries.ts';
import { extractTexts } from './source-texts.ts';

interface SubjectAssistProps {
  campaign: Campaign;
  /** Undefined means the account's language. */
  language: Language | undefined;
  onSelect: (subject: string) => void;
}

export function SubjectAssist(props: SubjectAssistProps) {
  const isAssisted = useIsAssisted();
  return isAssisted && props.campaign.editor !== null ? <Offer {...props} /> : null;
}

function Offer({ campaign, language: chosen, onSelect }: SubjectAssistProps) {
  const t = useTexts('campaigns');
  const { account } = useSession();
  const language = chosen ?? account.language;
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const run = async (is_confirmed: boolean, { signal }: AssistProgress) => {
    const params = { id: campaign.id };
    const content = await api('GET /client-api/api/campaigns/{id}/content', { params });
    const contentTexts = [extractTexts(content.data)];
    const { data } = await suggestTexts({
      ...{ task: 'subject_lines', texts: contentTexts, language, is_confirmed, signal },
    });
    const use = (subject: string) => {
      onSelect(subject);
      close();
    };
    return { request: data.request, result: <Lines lines={data.texts ?? []} onSelect={use} /> };
  };
  return (
    <>
      <Button
        variant="default"
        me="auto"
        leftSection={<IconSparkles size={18} stroke={1.75} />}
        onClick={() => setOpen(true)}
      >
        {t('suggestSubjects')}
      </Button>
      <Suspense>
        <AssistDialog title={t('suggestSubjects')} isOpen={isOpen} close={close} run={run} />
      </Suspense>
    </>
  );
}

function Lines({
  lines,
  onSelect,
}: {
  lines: readonly string[];
  onSelect: (line: string) => void;
}) {
  const t = useTexts('campaigns');
  return lines.map((line) => (
    <Group key={line} justify="space-between" wrap="nowrap">
      <bdi>{line}</bdi>
      <Button variant="default" onClick={() => onSelect(line)}>
        {t('useSubject')}
      </Button>
    </Group>
  ));
}
