// A plain text mail: a letter without pictures or colours, with merge tags and a live preview.
import { Textarea } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTexts } from '#platform/web/texts.ts';
import { useParam } from '#platform/web/use-param.ts';
import { PlainPreview } from '../../content/web/index.ts';
import frame from './editor-frame.module.css';
import { EditorFrame } from './editor-frame.tsx';
import { Findings } from './findings.tsx';
import { MergeTagMenu } from './merge-tag-menu.tsx';
import classes from './plain-text-screen.module.css';
import { OwnEditor } from './own-editor.tsx';
import { useContent } from './use-content.ts';
import { useDraftPreview } from './use-draft-preview.ts';

export default function PlainTextScreen() {
  const id = useParam('campaign');
  return (
    <OwnEditor id={id} kind="text">
      {(mayReplace) => <PlainTextEditor id={id} mayReplace={mayReplace} />}
    </OwnEditor>
  );
}

function PlainTextEditor({ id, mayReplace }: { id: string; mayReplace: boolean }) {
  const t = useTexts('campaigns');
  const editing = useContent(id, 'text', mayReplace);
  const [person, setPerson] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const preview = useDraftPreview(id, 'text', editing.value, person);
  const shown = preview.data?.data;
  const text = editing.value?.plainText ?? '';
  const insert = (tag: string) => {
    const { selectionStart, selectionEnd } = field.current ?? {};
    const from = selectionStart ?? text.length;
    editing.change({ plainText: text.slice(0, from) + tag + text.slice(selectionEnd ?? from) });
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(from + tag.length, from + tag.length);
    });
  };
  return (
    <EditorFrame
      id={id}
      editing={editing}
      title={t('editor.text')}
      person={person}
      onPerson={setPerson}
      tools={<MergeTagMenu id={id} onInsert={insert} />}
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
        <>
          <PlainPreview text={shown?.text ?? ''} />
          {shown && shown.findings.length > 0 && (
            <div className={frame.findings} aria-live="polite">
              <Findings findings={shown.findings} />
            </div>
          )}
        </>
      )}
    />
  );
}
