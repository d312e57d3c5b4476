// Surroundings of content's editors for a transactional email.
import { useNavigate } from '@tanstack/react-router';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Composing } from '../../content/web/index.ts';
import type { Transactional } from '../contract.ts';
import { LIST, pathOf, touchesOf } from './queries.ts';

export function useComposing(email: Transactional): Composing {
  const t = useTexts('transactional');
  const navigate = useNavigate();
  const { id } = email;
  return {
    base: LIST,
    id,
    name: `transactional:${id}`,
    title: email.title,
    back: { to: pathOf(id, 'overview'), label: t('overview') },
    next: { label: t('done'), act: () => void navigate({ to: pathOf(id, 'overview') }) },
    changeEditor: () =>
      void navigate({ to: pathOf(id, 'editor'), search: { choose: '1' } as never }),
    touches: touchesOf(id),
    company: email.from_name,
    language: null,
    settings: pathOf(id, 'edit'),
  };
}
