// What both editors of custom content have around them: name, state of saving, preview as whom,
// test mail, next; the source at the start, the preview at the end, one at a time when narrow.
import { ActionIcon, Alert, Button, Group, SegmentedControl, Text, Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowLeft, IconReplace } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTexts } from '#platform/web/texts.ts';
import { SaveState } from '#platform/web/ui/save-state.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import classes from './editor-frame.module.css';
import { stepPath } from './paths.ts';
import { PersonSelect } from './person-select.tsx';
import { useCampaign } from './queries.ts';
import { TestMailButton } from './send-test.tsx';
import type { ContentEditing } from './use-content.ts';

export interface EditorFrameProps {
  id: string;
  editing: ContentEditing;
  title: string;
  person: string | null;
  onPerson: (id: string | null) => void;
  /** Tools above the source, and above the preview. */
  tools: ReactNode;
  views?: ReactNode;
  source: ReactNode;
  /** `toSource` shows the source where only one of both is to be seen. */
  preview: (toSource: () => void) => ReactNode;
}

export function EditorFrame(props: EditorFrameProps) {
  const { id, editing, title, person, onPerson, tools, views, source, preview } = props;
  const t = useTexts('campaigns');
  const navigate = useNavigate();
  const campaign = useCampaign(id);
  const isNarrow = useMediaQuery('(max-width: 860px)');
  const [side, setSide] = useState('source');
  const has = (one: 'source' | 'preview') => !isNarrow || side === one;
  const next = async () => {
    if (await editing.flush()) await navigate({ to: stepPath(id, 'recipients') });
  };
  if (editing.error) return <FailedState error={editing.error} />;
  return (
    <div className={classes.frame}>
      <header className={classes.bar}>
        <Tooltip label={t('editor.back')}>
          <ActionIcon
            component={Link}
            to={stepPath(id, 'settings')}
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t('editor.back')}
          >
            <IconArrowLeft size={18} stroke={1.75} className={classes.arrow} />
          </ActionIcon>
        </Tooltip>
        <div className={classes.name}>
          <Text component="h1" fw={600} truncate>
            <bdi>{campaign.data?.data.title ?? title}</bdi>
          </Text>
          <SaveState state={editing.saving} at={editing.savedAt} />
        </div>
        <Group gap="xs" className={classes.acts}>
          <Tooltip label={t('editor.change')}>
            <ActionIcon
              variant="default"
              size="input-sm"
              aria-label={t('editor.change')}
              onClick={() =>
                void navigate({ to: `/campaigns/${id}/editor`, search: { choose: '1' } as never })
              }
            >
              <IconReplace size={18} stroke={1.75} />
            </ActionIcon>
          </Tooltip>
          <TestMailButton id={id} person={person} before={editing.flush} />
          <Button onClick={() => void next()}>{t('editor.next')}</Button>
        </Group>
      </header>
      {editing.isStale && (
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
      )}
      <div className={classes.tools}>
        <Group gap="xs">
          {isNarrow && (
            <SegmentedControl
              size="xs"
              value={side}
              onChange={setSide}
              aria-label={t('editor.side')}
              data={[
                { value: 'source', label: t('editor.source') },
                { value: 'preview', label: t('preview.title') },
              ]}
            />
          )}
          {has('source') && tools}
          {has('preview') && views}
        </Group>
        {has('preview') && <PersonSelect id={id} value={person} onChange={onPerson} />}
      </div>
      {editing.value === undefined ? (
        <div className={classes.loading}>
          <LoadingState rows={8} />
        </div>
      ) : (
        <div className={classes.panes}>
          {/* What is hidden stays: the source keeps its cursor and its steps back. */}
          <section className={classes.pane} hidden={!has('source')}>
            {source}
          </section>
          <section className={classes.pane} hidden={!has('preview')}>
            {preview(() => flushSync(() => setSide('source')))}
          </section>
        </div>
      )}
    </div>
  );
}
