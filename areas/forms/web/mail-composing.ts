// The frame around content's editors for a form's confirmation email.
import { useNavigate } from '@tanstack/react-router';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Composing } from '../../content/web/index.ts';
import type { Form } from '../contract.ts';
import { EMAIL_CALLS } from '../shared.ts';
import { LIST, confirmationPath, viewPath } from './queries.ts';

export const touchesOf = (id: string) => [`${EMAIL_CALLS}/${id}`, `${LIST}/${id}`];

export function useComposing(form: Form): Composing {
  const t = useTexts('forms');
  const navigate = useNavigate();
  const { id } = form;
  return {
    base: EMAIL_CALLS,
    id,
    name: `form-mail:${id}`,
    title: t('mail.of', { title: form.title }),
    back: { to: viewPath(id), label: t('mail.back') },
    next: { label: t('mail.done'), act: () => void navigate({ to: viewPath(id) }) },
    changeEditor: () =>
      void navigate({ to: confirmationPath(id, 'editor'), search: { choose: '1' } as never }),
    touches: touchesOf(id),
    company: form.settings.confirmation.from_name,
    language: null,
    settings: viewPath(id),
  };
}
