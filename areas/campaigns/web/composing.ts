// A campaign as an email being composed: addresses of its calls and editors.
import { useNavigate } from '@tanstack/react-router';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { ComposedEmail, EmailPlace } from '../../content/web/index.ts';
import type { Campaign } from '../contract.ts';
import { stepPath } from './paths.ts';
import { LIST, touchesOf } from './queries.ts';

const SOURCE_PATHS = { html: 'custom_html', text: 'plain_text' } as const;

export const emailOf = (id: string): EmailPlace => ({ base: LIST, id });

export function useComposedEmail(campaign: Campaign): ComposedEmail {
  const t = useTexts('campaigns');
  const navigate = useNavigate();
  const { id } = campaign;
  return {
    ...emailOf(id),
    name: `campaign:${id}`,
    title: campaign.title,
    back: { to: stepPath(id, 'settings'), label: t('steps.back') },
    next: {
      label: t('saveAndContinue'),
      act: () => void navigate({ to: stepPath(id, 'recipients') }),
    },
    touches: touchesOf(id),
    company: campaign.from_name,
    language: campaign.language,
    settings: stepPath(id, 'settings'),
    comments: emailOf(id),
    editor: campaign.editor,
    revision: campaign.revision,
    editorPath: (kind) =>
      kind === 'editor' ? stepPath(id, 'design') : `/html/${id}/${SOURCE_PATHS[kind]}`,
  };
}
