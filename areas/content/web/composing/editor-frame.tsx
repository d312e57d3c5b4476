// The frame of the editors for custom HTML and plain text: title, saving state, preview recipient,
// test email and next step; source and preview side by side, or one at a time on narrow screens.
import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { flushSync } from 'react-dom';
import { StaleNotice } from '#platform/web/editing/stale-notice.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SaveState } from '#platform/web/ui/save-state.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { WorkBar } from '#platform/web/ui/work-bar.tsx';
import { AttachmentsButton } from './attachments.tsx';
import { ChangeEditor } from './change-editor.tsx';
import type { Composing } from './composing.ts';
import classes from './editor-frame.module.css';
import { SubscriberSelect } from './subscriber-select.tsx';
import { TestEmailButton } from './test-email.tsx';
import type { ContentEditing } from './use-content.ts';

export interface EditorFrameProps {
  composing: Composing;
  editing: ContentEditing;
  subscriberId: string | null;
  onSubscriberChange: (id: string | null) => void;
  /** Tools above the source. */
  tools: ReactNode;
  /** Tools above the preview. */
  views?: ReactNode;
  source: ReactNode;
  /** `showSource` shows the source on narrow screens. */
  preview: (showSource: () => void) => ReactNode;
}

type EditorSide = 'source' | 'preview';

export function EditorFrame(props: EditorFrameProps) {
  const { composing, editing, subscriberId, onSubscriberChange, tools, views, source, preview } =
    props;
  const isNarrow = useMediaQuery('(max-width: 860px)');
  const [side, setSide] = useState<EditorSide>('source');
  const isVisible = (wantedSide: EditorSide) => !isNarrow || side === wantedSide;
  if (editing.error) return <FailedState error={editing.error} retry={editing.reload} />;
  return (
    <div className={classes.frame}>
      <Bar composing={composing} editing={editing} subscriberId={subscriberId} />
      {editing.isStale && <StaleNotice resolveConflict={editing.resolveConflict} radius={0} />}
      <div className={classes.tools}>
        <Group gap="xs">
          {isNarrow && <SideChoice side={side} onChange={setSide} />}
          {isVisible('source') && tools}
          {isVisible('preview') && views}
        </Group>
        {isVisible('preview') && (
          <SubscriberSelect email={composing} value={subscriberId} onChange={onSubscriberChange} />
        )}
      </div>
      {editing.value === undefined ? (
        <div className={classes.loading}>
          <LoadingState rows={8} />
        </div>
      ) : (
        <div className={classes.panes}>
          {/* The hidden pane stays mounted, so the source keeps its cursor and undo history. */}
          <section className={classes.pane} hidden={!isVisible('source')}>
            {source}
          </section>
          <section className={classes.pane} hidden={!isVisible('preview')}>
            {preview(() => flushSync(() => setSide('source')))}
          </section>
        </div>
      )}
    </div>
  );
}

/** Back link, title, saving state and actions of the email. */
function Bar({
  composing,
  editing,
  subscriberId,
}: Pick<EditorFrameProps, 'composing' | 'editing' | 'subscriberId'>) {
  const { back, next } = composing;
  const saveAndContinue = async () => {
    if (await editing.flush()) next.onClick();
  };
  const saveAll = async () => {
    // The initial content of a new email is saved even if the author has not changed it.
    if (editing.savedAt === undefined) editing.change({});
    return editing.flush();
  };
  return (
    <WorkBar back={back}>
      <div className={classes.name}>
        <Text component="h1" fw={600} truncate>
          <bdi>{composing.title}</bdi>
        </Text>
        <SaveState state={editing.saving} at={editing.savedAt} />
      </div>
      <Group gap="xs" className={classes.acts}>
        <ChangeEditor onClick={composing.changeEditor} />
        <AttachmentsButton email={composing} saveContent={saveAll} />
        <TestEmailButton email={composing} subscriberId={subscriberId} beforeSend={editing.flush} />
        <Button onClick={() => void saveAndContinue()}>{next.label}</Button>
      </Group>
    </WorkBar>
  );
}

/** Choice of source or preview on narrow screens. */
function SideChoice({
  side,
  onChange,
}: {
  side: EditorSide;
  onChange: (side: EditorSide) => void;
}) {
  const t = useTexts('composing');
  return (
    <SegmentedControl
      size="xs"
      value={side}
      onChange={(value) => onChange(value === 'preview' ? 'preview' : 'source')}
      aria-label={t('editor.side')}
      data={[
        { value: 'source', label: t('editor.source') },
        { value: 'preview', label: t('preview.title') },
      ]}
    />
  );
}
