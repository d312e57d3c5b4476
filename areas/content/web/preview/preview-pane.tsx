// Replaces the canvas with the rendered email and its findings.
import { Loader, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState } from '#platform/web/ui/states.tsx';
import type { NodeId } from '../../document.ts';
import { useEditorProps } from '../editor-props.ts';
import type { DraftRendering } from '../queries.ts';
import { useEditor, useEditorState } from '../store.ts';
import { replaceText } from '../tree.ts';
import classes from './preview-pane.module.css';
import { PreviewModes, PreviewContent, SizeMeter, usePreviewMode } from './preview-modes.tsx';

export default function PreviewPane({ goTo }: { goTo: (node: NodeId) => void }) {
  const t = useTexts('content');
  const props = useEditorProps();
  const { edit } = useEditor();
  const document = useEditorState((state) => state.document);
  const { mode, change } = usePreviewMode();
  const rendering = useQuery({
    queryKey: ['content preview', props.previewKey, document],
    queryFn: ({ signal }) => props.preview(document, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
    staleTime: 60_000,
  });
  const preview = rendering.data;
  return (
    <div className={classes.pane}>
      <div className={classes.bar}>
        <PreviewModes mode={mode} onChange={change} />
        {props.subscriberPicker}
        {preview && <SizeMeter size={preview.size} />}
      </div>
      {rendering.isLoadingError && (
        <FailedState error={rendering.error} retry={rendering.refetch} />
      )}
      {!preview && !rendering.isLoadingError && (
        <div className={classes.wait}>
          <Loader size="sm" role="status" aria-label={t('platform:states.loading')} />
        </div>
      )}
      {preview && (
        <div
          className={classes.body}
          role="region"
          aria-label={t('preview.title')}
          // Focusable for scrolling by keyboard on small screens.
          tabIndex={0}
        >
          <EmailPane mode={mode} rendering={preview} />
          <aside className={classes.findings} aria-label={t('preview.findings')} aria-live="polite">
            <Text component="h2" fw={600} size="md">
              {t('preview.findings')}
            </Text>
            {preview.findings.length === 0 ? (
              <Text size="sm" c="dimmed" mt="xs">
                {t('preview.fine')}
              </Text>
            ) : (
              props.renderFindings(preview, goTo, (search, by) =>
                edit((current) => replaceText(current, search, by)),
              )
            )}
          </aside>
        </div>
      )}
    </div>
  );
}

interface EmailPaneProps {
  mode: ReturnType<typeof usePreviewMode>['mode'];
  rendering: DraftRendering;
}

function EmailPane({ mode, rendering }: EmailPaneProps) {
  const t = useTexts('content');
  return (
    <div className={classes.mail} data-device={mode.device}>
      <div className={classes.subject}>
        <Text fw={600} dir="auto" truncate>
          {rendering.subject || t('preview.noSubject')}
        </Text>
        <Text size="sm" c="dimmed" dir="auto" truncate>
          {rendering.preheader}
        </Text>
      </div>
      <PreviewContent mode={mode} html={rendering.html ?? ''} text={rendering.text ?? ''} />
    </div>
  );
}
