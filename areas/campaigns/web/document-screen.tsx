// The block editor on a campaign: brings its document, saves it, previews it, sends tests of it.
import { ActionIcon, Alert, Button, Group, Text, Tooltip } from '@mantine/core';
import { IconReplace } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, useCallback, useState } from 'react';
import { touch } from '#platform/web/queries.ts';
import { useSession } from '#platform/web/session.ts';
import { useTexts } from '#platform/web/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { newDocument } from '../../content/document-factory.ts';
import type { EmailDocument } from '../../content/document.ts';
import { useAutosave } from '#platform/web/editing/use-autosave.ts';
import { BlockEditor, type Rendering } from '../../content/web/index.ts';
import type { Campaign, Finding } from '../contract.ts';
import { Findings } from './findings.tsx';
import { stepPath } from './paths.ts';
import { PersonSelect } from './person-select.tsx';
import { api, touchesOf } from './queries.ts';
import { TestMailButton } from './send-test.tsx';
import { useMergeTags } from './use-merge-tags.ts';

export function DocumentScreen({ campaign }: { campaign: Campaign }) {
  const t = useTexts('campaigns');
  const { id } = campaign;
  const navigate = useNavigate();
  const { account } = useSession();
  const [person, setPerson] = useState<string | null>(null);
  const mergeTags = useMergeTags(id);
  const editing = useCampaignDocument(id);
  const preview = useCallback(
    async (document: EmailDocument, signal: AbortSignal): Promise<Rendering> => {
      const { data } = await api('POST /client-api/api/campaigns/{id}/preview', {
        params: { id },
        body: { editor: 'editor', document, ...(person ? { subscriber: person } : {}) },
        signal,
      });
      return data;
    },
    [id, person],
  );
  const next = async () => {
    if (await editing.flush()) await navigate({ to: stepPath(id, 'recipients') });
  };
  if (editing.error) return <FailedState error={editing.error} />;
  if (editing.value === undefined) return <LoadingState rows={8} />;
  return (
    <Suspense fallback={<LoadingState rows={8} />}>
      <BlockEditor
        name={campaign.title}
        back={{ to: stepPath(id, 'settings'), label: t('editor.back') }}
        document={editing.value}
        generation={editing.generation}
        onChange={editing.change}
        saving={editing.saving}
        savedAt={editing.savedAt}
        flush={editing.flush}
        banner={
          editing.isStale && (
            <Alert color="warning" title={t('stale.title')} radius={0}>
              <Group gap="xs">
                <Text size="sm">{t('stale.content')}</Text>
                <Button size="xs" variant="default" onClick={() => void editing.settle('theirs')}>
                  {t('stale.take')}
                </Button>
                <Button size="xs" variant="default" onClick={() => void editing.settle('ours')}>
                  {t('stale.keep')}
                </Button>
              </Group>
            </Alert>
          )
        }
        company={campaign.from_name}
        mergeTags={mergeTags}
        preview={preview}
        previewKey={`${id} ${person ?? ''}`}
        person={<PersonSelect id={id} value={person} onChange={setPerson} />}
        findings={({ findings }, goTo) => (
          <Findings
            findings={findings as Finding[]}
            resolve={({ node, step }) => {
              if (node !== undefined) return { act: () => goTo(node) };
              return step === 'settings' ? { to: stepPath(id, 'settings') } : undefined;
            }}
          />
        )}
        tools={
          <>
            <TestMailButton id={id} person={person} before={editing.flush} />
            <Tooltip label={t('editor.change')}>
              <ActionIcon
                variant="default"
                size="input-sm"
                aria-label={t('editor.change')}
                onClick={() => void navigate({ to: '.', search: { choose: '1' } as never })}
              >
                <IconReplace size={18} stroke={1.75} />
              </ActionIcon>
            </Tooltip>
          </>
        }
        next={{ label: t('editor.next'), act: () => void next() }}
        isRtl={(campaign.language ?? account.language) === 'fas'}
      />
    </Suspense>
  );
}

function useCampaignDocument(id: string) {
  return useAutosave<EmailDocument>({
    name: `campaign:${id}:document`,
    load: async () => {
      const { data } = await api('GET /client-api/api/campaigns/{id}/content', { params: { id } });
      // Another tab may have changed the editor: the campaign says so, and leads there.
      if (data.editor !== 'editor') void touch(...touchesOf(id));
      return {
        value: data.document ?? newDocument(),
        revision: data.revision,
        saved_at: data.saved_at,
      };
    },
    save: async (document, revision, isSettled) => {
      const { data } = await api('PUT /client-api/api/campaigns/{id}/content', {
        params: { id },
        body: { revision, editor: 'editor', document, confirm_switch: isSettled },
      });
      void touch(...touchesOf(id));
      return { revision: data.revision, saved_at: data.saved_at };
    },
  });
}
