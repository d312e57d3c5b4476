// The choice of how to start an email: a template, custom HTML or plain text. Existing content is
// replaced only after confirmation.
import { Alert } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTexts } from '#platform/web/texts/texts.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { EmailDocument } from '../../document.ts';
import type { ContentKind } from '../../shared.ts';
import TemplateGallery from '../template-gallery.tsx';
import { api, resolveCall, type EmailRef } from './composing.ts';
import OtherStartCards from './start-cards.tsx';
import type { EditorKind } from './use-content.ts';

export interface EditorChoiceProps {
  email: EmailRef;
  /** Editor of the existing content. */
  editor: ContentKind | null;
  revision: number;
  invalidatedPaths: readonly string[];
  /** Path that opens the existing content. */
  current: string;
  /** Called when a template was chosen and saved. */
  onTemplate: () => void;
  /** Called when another editor was chosen and confirmed. */
  onOther: (kind: EditorKind) => void;
  isFooterless?: boolean;
}

export default function EditorChoice(props: EditorChoiceProps) {
  const { email, editor, revision, invalidatedPaths, current, onTemplate, onOther, isFooterless } =
    props;
  const t = useTexts('composing');
  const confirmReplacing = useConfirmReplacement(editor);
  const start = async (document: EmailDocument) => {
    if (!(await confirmReplacing('editor'))) return;
    await api(resolveCall(email, 'PUT /{base}/{id}/content'), {
      params: { id: email.id },
      body: { revision, editor: 'editor', document, confirm_switch: true },
    });
    await invalidate(...invalidatedPaths);
    onTemplate();
  };
  const openEditor = async (kind: EditorKind) => {
    if (await confirmReplacing(kind)) onOther(kind);
  };
  return (
    <>
      {editor !== null && (
        <Alert mb="md">
          {t('switch.hint', { editor: t(`editor.${editor}`) })}{' '}
          <Link to={current}>{t('switch.back')}</Link>
        </Alert>
      )}
      <TemplateGallery
        onChoose={start}
        isFooterless={isFooterless}
        others={<OtherStartCards onOpen={(kind) => void openEditor(kind)} />}
      />
    </>
  );
}

/**
 * Returns a function that requests confirmation before a chosen editor or template replaces
 * existing content.
 */
function useConfirmReplacement(editor: ContentKind | null) {
  const t = useTexts('composing');
  return async (kind: ContentKind): Promise<boolean> => {
    if (editor === null || (editor === kind && kind !== 'editor')) return true;
    const isSame = editor === kind;
    return confirm({
      title: t(isSame ? 'switch.templateTitle' : 'switch.title'),
      message: t(isSame ? 'switch.templateMessage' : 'switch.message', {
        editor: t(`editor.${kind}`),
      }),
      confirm: t(isSame ? 'switch.templateConfirm' : 'switch.confirm'),
    });
  };
}
