// The editor of custom HTML: the source with a live preview for a real subscriber, and findings.
// The HTML is sent as written, except for links, merge tags, the pixel, the preheader, the footer
// and inlined style sheets.
import { Switch } from '@mantine/core';
import { type RefObject, useRef, useState } from 'react';
import { TagMenu } from '#platform/web/editing/tag-menu.tsx';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { HtmlAssist } from '../assist/assist-tools-late.tsx';
import {
  PreviewModes,
  PreviewContent,
  SizeMeter,
  usePreviewMode,
} from '../preview/preview-modes.tsx';
import { ImportHtml } from './import-html.tsx';
import { CodeEditor, type CodeEditorHandle } from './code-editor.tsx';
import { type Composing, duplicateSaver, resolveEmailLanguage } from './composing.ts';
import classes from './editor-frame.module.css';
import { EditorFrame } from './editor-frame.tsx';
import { Findings, type FindingsProps } from './findings.tsx';
import { useContent } from './use-content.ts';
import { useDraftPreview } from './use-draft-preview.ts';
import { useMergeTags } from './use-merge-tags.ts';

export interface SourceEditorProps {
  composing: Composing;
  /** Whether the author has confirmed that content of another editor is replaced. */
  mayReplace: boolean;
}

const toContent = (html: string) => ({ editor: 'html' as const, html });

export default function HtmlEditor({ composing, mayReplace }: SourceEditorProps) {
  const t = useTexts('composing');
  const editing = useContent(composing, 'html', mayReplace);
  const mergeTags = useMergeTags(composing);
  const [subscriberId, setSubscriberId] = useState<string | null>(null);
  const { mode, change } = usePreviewMode();
  const code = useRef<CodeEditorHandle>(null);
  const preview = useDraftPreview(composing, 'html', editing.value, subscriberId);
  const { account } = useSession();
  const saveInDuplicate = duplicateSaver(composing, editing.flush, toContent);
  return (
    <EditorFrame
      composing={composing}
      editing={editing}
      subscriberId={subscriberId}
      onSubscriberChange={setSubscriberId}
      tools={
        <>
          <ImportHtml
            html={editing.value?.html ?? ''}
            onHtml={(html) => code.current?.replaceAll(html)}
          />
          <TagMenu mergeTags={mergeTags} onInsert={(tag) => code.current?.insert(tag)} />
          <HtmlAssist
            html={editing.value?.html ?? ''}
            language={resolveEmailLanguage(composing, account)}
            onChange={(html) => code.current?.replaceAll(html)}
            saveInDuplicate={saveInDuplicate}
          />
          <InlineCssSwitch editing={editing} />
        </>
      }
      views={
        <>
          <PreviewModes mode={mode} onChange={change} />
          {preview && <SizeMeter size={preview.size} />}
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
      preview={(showSource) => (
        <>
          <PreviewContent mode={mode} html={preview?.html ?? ''} text={preview?.text ?? ''} />
          {preview && preview.findings.length > 0 && (
            <DraftFindings findings={preview.findings} code={code} showSource={showSource} />
          )}
        </>
      )}
    />
  );
}

function InlineCssSwitch({ editing }: { editing: ReturnType<typeof useContent> }) {
  const t = useTexts('composing');
  return (
    <Switch
      size="xs"
      label={t('editor.inlineCss')}
      title={t('editor.inlineCssHint')}
      checked={editing.value?.inlineCss ?? false}
      onChange={({ currentTarget }) => editing.change({ inlineCss: currentTarget.checked })}
    />
  );
}

interface DraftFindingsProps {
  findings: FindingsProps['findings'];
  code: RefObject<CodeEditorHandle | null>;
  showSource: () => void;
}

function DraftFindings({ findings, code, showSource }: DraftFindingsProps) {
  const goTo = (line: number, column: number) => {
    showSource();
    code.current?.goTo(line, column);
  };
  return (
    <div className={classes.findings} aria-live="polite">
      <Findings
        findings={findings}
        replace={(tag, by) => code.current?.replace(tag, by)}
        resolve={({ line, column }) =>
          line === undefined ? undefined : { onClick: () => goTo(line, column ?? 1) }
        }
      />
    </div>
  );
}
