// Top bar: title, saving state, undo, redo, preview, next.
import { Button, Group, Text } from '@mantine/core';
import { IconEye, IconPencil, IconRefresh } from '@tabler/icons-react';
import { StepButtons } from '#platform/web/editing/step-buttons.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SaveState } from '#platform/web/ui/save-state.tsx';
import { WorkBar } from '#platform/web/ui/work-bar.tsx';
import { useEditorProps } from './editor-props.ts';
import classes from './editor.module.css';
import { useEditor, useHistory } from './store.ts';

export interface EditorTopBarProps {
  isPreview: boolean;
  onPreview: (isPreview: boolean) => void;
}

export function TopBar({ isPreview, onPreview }: EditorTopBarProps) {
  const t = useTexts('content');
  const { name, back, saving, savedAt, flush, tools, next } = useEditorProps();
  return (
    <WorkBar back={back}>
      <div className={classes.name}>
        <Text component="h1" fw={600} truncate>
          <bdi>{name}</bdi>
        </Text>
        <span className={classes.saving}>
          <SaveState state={saving} at={savedAt} />
          {saving === 'failed' && (
            <Button
              size="compact-xs"
              variant="subtle"
              leftSection={<IconRefresh size={14} stroke={1.75} />}
              onClick={() => void flush()}
            >
              {t('platform:states.retry')}
            </Button>
          )}
        </span>
      </div>
      {!isPreview && <Steps />}
      <Group gap="xs" wrap="nowrap" className={classes.acts}>
        <Button
          variant="default"
          leftSection={
            isPreview ? <IconPencil size={18} stroke={1.75} /> : <IconEye size={18} stroke={1.75} />
          }
          onClick={() => onPreview(!isPreview)}
        >
          {t(isPreview ? 'preview.back' : 'preview.open')}
        </Button>
        {tools}
        <Button onClick={next.onClick}>{next.label}</Button>
      </Group>
    </WorkBar>
  );
}

function Steps() {
  const { undo, redo } = useEditor();
  return <StepButtons undo={undo} redo={redo} {...useHistory()} />;
}
