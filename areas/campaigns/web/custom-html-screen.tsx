// Custom HTML: the source with a live preview beside it, as a real subscriber, and what is wrong
// with it. What is pasted is what arrives, but for links, pixel and footer.
import { SegmentedControl, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { useFormats } from '#platform/web/formats.ts';
import { useTexts } from '#platform/web/texts.ts';
import { useParam } from '#platform/web/use-param.ts';
import type { Finding } from '../contract.ts';
import { CLIP_BYTES } from '../../content/limits.ts';
import { CodeEditor, type CodeEditorHandle } from './code-editor.tsx';
import classes from './custom-html-screen.module.css';
import { EditorFrame } from './editor-frame.tsx';
import { Findings } from './findings.tsx';
import { MergeTagMenu } from './merge-tag-menu.tsx';
import { PreviewFrame } from './preview-frame.tsx';
import { useContent } from './use-content.ts';
import { useDraftPreview } from './use-draft-preview.ts';

type Device = 'desktop' | 'mobile' | 'plain';

export default function CustomHtmlScreen() {
  const t = useTexts('campaigns');
  const { bytes, percent } = useFormats();
  const id = useParam('campaign');
  const editing = useContent(id, 'html');
  const [person, setPerson] = useState<string | null>(null);
  const [device, setDevice] = useState<Device>('desktop');
  const code = useRef<CodeEditorHandle>(null);
  const preview = useDraftPreview(id, 'html', editing.draft, person);
  const shown = preview.data?.data;
  const resolve = ({ line, column }: Finding) =>
    line === undefined ? undefined : { act: () => code.current?.goTo(line, column ?? 1) };
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
          <SegmentedControl
            size="xs"
            aria-label={t('preview.device')}
            value={device}
            onChange={(value) => setDevice(value as Device)}
            data={(['desktop', 'mobile', 'plain'] as const).map((value) => ({
              value,
              label: t(`preview.${value}`),
            }))}
          />
          {shown && (
            <Text
              size="xs"
              c={shown.size > CLIP_BYTES ? 'danger' : 'dimmed'}
              title={t('size.hint')}
            >
              {t('size.of', {
                size: bytes(shown.size),
                most: bytes(CLIP_BYTES),
                share: percent(shown.size / CLIP_BYTES),
              })}
            </Text>
          )}
        </>
      }
      source={
        <CodeEditor
          ref={code}
          label={t('editor.html')}
          value={editing.draft?.html ?? ''}
          onChange={(html) => editing.change({ html })}
        />
      }
      preview={
        <>
          {device === 'plain' ? (
            <pre className={classes.plain} dir="auto">
              {shown?.text ?? ''}
            </pre>
          ) : (
            <PreviewFrame html={shown?.html ?? ''} width={device === 'mobile' ? 375 : undefined} />
          )}
          {shown && shown.findings.length > 0 && (
            <div className={classes.findings} aria-live="polite">
              <Findings findings={shown.findings} resolve={resolve} />
            </div>
          )}
        </>
      }
    />
  );
}
