// What both editors of custom content have around them: name, state of saving, preview as whom,
// test mail, next; the source at the start, the preview at the end, one at a time when narrow.
import { ActionIcon, Button, Group, SegmentedControl, Text, Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { flushSync } from 'react-dom';
import { StaleNotice } from '#platform/web/editing/stale-notice.tsx';
import { useTexts } from '#platform/web/texts.ts';
import { SaveState } from '#platform/web/ui/save-state.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { ChangeEditor } from './change-editor.tsx';
import type { Composing } from './composing.ts';
import classes from './editor-frame.module.css';
import { PersonSelect } from './person-select.tsx';
import { TestEmailButton } from './test-email.tsx';
import type { ContentEditing } from './use-content.ts';

export interface EditorFrameProps {
  composing: Composing;
  editing: ContentEditing;
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
  const { composing, editing, person, onPerson, tools, views, source, preview } = props;
  const { back, next } = composing;
  const t = useTexts('composing');
  const isNarrow = useMediaQuery('(max-width: 860px)');
  const [side, setSide] = useState('source');
  const has = (one: 'source' | 'preview') => !isNarrow || side === one;
  const goOn = async () => {
    if (await editing.flush()) next.act();
  };
  if (editing.error) return <FailedState error={editing.error} />;
  return (
    <div className={classes.frame}>
      <header className={classes.bar}>
        <Tooltip label={back.label}>
          <ActionIcon
            component={Link}
            to={back.to}
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={back.label}
          >
            <IconArrowLeft size={18} stroke={1.75} className={classes.arrow} />
          </ActionIcon>
        </Tooltip>
        <div className={classes.name}>
          <Text component="h1" fw={600} truncate>
            <bdi>{composing.title}</bdi>
          </Text>
          <SaveState state={editing.saving} at={editing.savedAt} />
        </div>
        <Group gap="xs" className={classes.acts}>
          <ChangeEditor act={composing.changeEditor} />
          <TestEmailButton email={composing} person={person} before={editing.flush} />
          <Button onClick={() => void goOn()}>{next.label}</Button>
        </Group>
      </header>
      {editing.isStale && <StaleNotice settle={editing.settle} radius={0} />}
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
        {has('preview') && <PersonSelect email={composing} value={person} onChange={onPerson} />}
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
