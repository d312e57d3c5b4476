// Describes the confirmation email of a form to the email editors: the paths of its calls and
// screens.
import { useNavigate } from '@tanstack/react-router';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { ComposedEmail } from '../../content/web/index.ts';
import type { Form } from '../contract.ts';
import { CONFIRMATION_EMAILS_PATH } from '../shared.ts';
import { confirmationEditorPath, LIST_PATH, viewPath } from './queries.ts';

export function useConfirmationEmail(form: Form): ComposedEmail {
  const t = useTexts('forms');
  const navigate = useNavigate();
  const { id } = form;
  return {
    basePath: CONFIRMATION_EMAILS_PATH,
    id,
    name: `form-mail:${id}`,
    title: t('mail.of', { title: form.title }),
    back: { to: viewPath(id), label: t('mail.back') },
    next: { label: t('mail.done'), onClick: () => void navigate({ to: viewPath(id) }) },
    invalidatedPaths: [`${CONFIRMATION_EMAILS_PATH}/${id}`, `${LIST_PATH}/${id}`],
    company: form.settings.confirmation.from_name,
    language: null,
    settingsPath: viewPath(id),
    comments: { basePath: LIST_PATH, id },
    editor: form.mail_editor,
    revision: form.mail_revision,
    buildEditorPath: (kind) => confirmationEditorPath(id, kind),
  };
}
