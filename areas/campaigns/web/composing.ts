// A campaign as an email being composed: addresses of its calls and editors.
import { useNavigate } from '@tanstack/react-router';
import type { Composing, EmailPlace } from '../../content/web/index.ts';
import type { Campaign } from '../contract.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { stepPath } from './paths.ts';
import { LIST, touchesOf } from './queries.ts';

export const emailOf = (id: string): EmailPlace => ({ base: LIST, id });

export function useComposing(campaign: Campaign): Composing {
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
    changeEditor: () =>
      void navigate({ to: stepPath(id, 'design'), search: { choose: '1' } as never }),
    touches: touchesOf(id),
    company: campaign.from_name,
    language: campaign.language,
    settings: stepPath(id, 'settings'),
  };
}
