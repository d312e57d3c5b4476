// Editor of plain text emails, which have merge tags but neither images nor colors, with a live
// preview.
import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { TagMenu } from '#platform/web/editing/tag-menu.tsx';
import { useCaretInsert } from '#platform/web/editing/use-caret-insert.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { PlainAssist } from '../assist/assist-tools-late.tsx';
import { PlainPreview } from '../preview/preview-modes.tsx';
import { resolveEmailLanguage } from './composing.ts';
import frame from './editor-frame.module.css';
import { EditorFrame } from './editor-frame.tsx';
import { Findings } from './findings.tsx';
import type { SourceEditorProps } from './html-editor.tsx';
import classes from './text-editor.module.css';
import { useContent } from './use-content.ts';
import { useDraftPreview } from './use-draft-preview.ts';
import { useMergeTags } from './use-merge-tags.ts';

export default function TextEditor({ composing, mayReplace }: SourceEditorProps) {
  const t = useTexts('composing');
  const editing = useContent(composing, 'text', mayReplace);
  const mergeTags = useMergeTags(composing);
  const [subscriberId, setSubscriberId] = useState<string | null>(null);
  const preview = useDraftPreview(composing, 'text', editing.value, subscriberId);
  const { account } = useSession();
  const text = editing.value?.plainText ?? '';
  const { field, insert } = useCaretInsert<HTMLTextAreaElement>(text, (plainText) =>
    editing.change({ plainText }),
  );
  return (
    <EditorFrame
      composing={composing}
      editing={editing}
      subscriberId={subscriberId}
      onSubscriberChange={setSubscriberId}
      tools={
        <>
          <TagMenu mergeTags={mergeTags} onInsert={insert} />
          <PlainAssist
            text={text}
            language={resolveEmailLanguage(composing, account)}
            onChange={(plainText) => editing.change({ plainText })}
          />
        </>
      }
      source={
        <Textarea
          ref={field}
          aria-label={t('editor.text')}
          placeholder={t('editor.textPlaceholder')}
          classNames={{ root: classes.root, wrapper: classes.wrapper, input: classes.input }}
          dir="auto"
          value={text}
          onChange={(event) => editing.change({ plainText: event.currentTarget.value })}
        />
      }
      preview={() => (
        <CheckedPreview
          preview={preview}
          replace={(tag, by) => editing.change({ plainText: text.replaceAll(tag, by) })}
        />
      )}
    />
  );
}

interface CheckedPreviewProps {
  preview: ReturnType<typeof useDraftPreview>;
  /** Replaces a merge tag of the text. */
  replace: (tag: string, by: string) => void;
}

function CheckedPreview({ preview, replace }: CheckedPreviewProps) {
  return (
    <>
      <PlainPreview text={preview?.text ?? ''} />
      {preview && preview.findings.length > 0 && (
        <div className={frame.findings} aria-live="polite">
          <Findings findings={preview.findings} replace={replace} />
        </div>
      )}
    </>
  );
}
