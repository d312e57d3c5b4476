// Custom HTML: the source with a live preview beside it, as a real subscriber, and what is wrong
// with it. What is pasted is what arrives, but for links, pixel and footer.
import { Switch } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTexts } from '#platform/web/texts.ts';
import { useParam } from '#platform/web/use-param.ts';
import { PreviewModes, PreviewShown, SizeMeter, usePreviewMode } from '../../content/web/index.ts';
import { CodeEditor, type CodeEditorHandle } from './code-editor.tsx';
import classes from './editor-frame.module.css';
import { EditorFrame } from './editor-frame.tsx';
import { Findings } from './findings.tsx';
import { MergeTagMenu } from './merge-tag-menu.tsx';
import { OwnEditor } from './own-editor.tsx';
import { useContent } from './use-content.ts';
import { useDraftPreview } from './use-draft-preview.ts';

export default function CustomHtmlScreen() {
  const id = useParam('campaign');
  return (
    <OwnEditor id={id} kind="html">
      {(mayReplace) => <CustomHtmlEditor id={id} mayReplace={mayReplace} />}
    </OwnEditor>
  );
}

function CustomHtmlEditor({ id, mayReplace }: { id: string; mayReplace: boolean }) {
  const t = useTexts('campaigns');
  const editing = useContent(id, 'html', mayReplace);
  const [person, setPerson] = useState<string | null>(null);
  const { mode, change } = usePreviewMode();
  const code = useRef<CodeEditorHandle>(null);
  const preview = useDraftPreview(id, 'html', editing.value, person);
  const shown = preview.data?.data;
  const goTo = (line: number, column: number, toSource: () => void) => {
    toSource();
    code.current?.goTo(line, column);
  };
  return (
    <EditorFrame
      id={id}
      editing={editing}
      title={t('editor.html')}
      person={person}
      onPerson={setPerson}
      tools={
        <>
          <MergeTagMenu id={id} onInsert={(tag) => code.current?.insert(tag)} />
          <Switch
            size="xs"
            label={t('editor.inlineCss')}
            title={t('editor.inlineCssHint')}
            checked={editing.value?.inlineCss ?? false}
            onChange={({ currentTarget }) => editing.change({ inlineCss: currentTarget.checked })}
          />
        </>
      }
      views={
        <>
          <PreviewModes mode={mode} change={change} />
          {shown && <SizeMeter size={shown.size} />}
        </>
      }
      source={
        <CodeEditor
          ref={code}
          label={t('editor.html')}
          value={editing.value?.html ?? ''}
          generation={editing.generation}
          onChange={(html) => editing.change({ html })}
        />
      }
      preview={(toSource) => (
        <>
          <PreviewShown mode={mode} html={shown?.html ?? ''} text={shown?.text ?? ''} />
          {shown && shown.findings.length > 0 && (
            <div className={classes.findings} aria-live="polite">
              <Findings
                findings={shown.findings}
                resolve={({ line, column }) =>
                  line === undefined ? undefined : { act: () => goTo(line, column ?? 1, toSource) }
                }
              />
            </div>
          )}
        </>
      )}
    />
  );
}
