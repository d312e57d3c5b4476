// Inspector buttons that rewrite or translate the text of a block or the whole email.
import { Text } from '@mantine/core';
import { useContext } from 'react';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { NodeId } from '../../document.ts';
import { EditorPropsContext } from '../editor-props.ts';
import { useEditor, useEditorState } from '../store.ts';
import { applyTexts, hasTexts, listTexts } from './email-texts.ts';
import { TextsAssist } from './texts-assist.tsx';

export interface AssistToolsProps {
  /** Null for all text of the email. */
  node: NodeId | null;
}

export default function AssistTools({ node }: AssistToolsProps) {
  const t = useTexts('content');
  const editor = useEditor();
  const { account } = useSession();
  const props = useContext(EditorPropsContext);
  const language = props?.language ?? account.language;
  const saveCopy = node === null ? props?.saveInDuplicate : undefined;
  const isOffered = useEditorState(({ document }) => hasTexts(document, node));
  if (!isOffered) return null;
  return (
    <>
      <TextsAssist
        isWholeEmail={node === null}
        language={language}
        read={() => listTexts(editor.store.getState().document, node)}
        accept={(changes) => {
          editor.stopWriting();
          editor.edit((document) => applyTexts(document, changes));
        }}
        acceptInDuplicate={
          saveCopy &&
          ((changes, to) => {
            editor.stopWriting();
            return saveCopy(applyTexts(editor.store.getState().document, changes), to);
          })
        }
      />
      {node === null && (
        <Text size="xs" c="dimmed">
          {t('assist.emailHint')}
        </Text>
      )}
    </>
  );
}
