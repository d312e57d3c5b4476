// Describes a transactional email to the email editors: the paths of its calls and screens.
import { useNavigate } from '@tanstack/react-router';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { ComposedEmail } from '../../content/web/index.ts';
import type { Transactional } from '../contract.ts';
import { editorPath, LIST_PATH, transactionalPath, affectedQueries } from './queries.ts';

export function useComposedEmail(email: Transactional): ComposedEmail {
  const t = useTexts('transactional');
  const navigate = useNavigate();
  const { id } = email;
  return {
    basePath: LIST_PATH,
    id,
    name: `transactional:${id}`,
    title: email.title,
    back: { to: transactionalPath(id, 'overview'), label: t('overview') },
    next: {
      label: t('done'),
      onClick: () => void navigate({ to: transactionalPath(id, 'overview') }),
    },
    invalidatedPaths: affectedQueries(id),
    company: email.from_name,
    language: null,
    settingsPath: transactionalPath(id, 'edit'),
    editor: email.editor,
    revision: email.revision,
    buildEditorPath: (kind) => editorPath(id, kind),
    isFooterless: true,
  };
}
