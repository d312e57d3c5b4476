// A campaign as an email being composed: the paths of its calls and editors.
import { useNavigate } from '@tanstack/react-router';
import type { Language } from '#platform/languages.ts';
import { languageNames } from '#platform/web/texts/languages.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { ComposedEmail, EmailRef } from '../../content/web/index.ts';
import type { Campaign } from '../contract.ts';
import { stepPath } from './paths.ts';
import { MAX_TITLE_LENGTH } from '../shared.ts';
import { api, LIST_PATH, listAffectedQueries } from './queries.ts';

const SOURCE_PATHS = { html: 'custom_html', text: 'plain_text' } as const;

export const getEmailPath = (id: string): EmailRef => ({ basePath: LIST_PATH, id });

export function useComposedEmail(campaign: Campaign): ComposedEmail {
  const t = useTexts('campaigns');
  const navigate = useNavigate();
  const { id } = campaign;
  return {
    ...getEmailPath(id),
    name: `campaign:${id}`,
    title: campaign.title,
    back: { to: stepPath(id, 'settings'), label: t('steps.back') },
    next: {
      label: t('saveAndContinue'),
      onClick: () => void navigate({ to: stepPath(id, 'recipients') }),
    },
    invalidatedPaths: listAffectedQueries(id),
    company: campaign.from_name,
    language: campaign.language,
    settingsPath: stepPath(id, 'settings'),
    comments: getEmailPath(id),
    duplicate: async (language) => {
      const copy = await duplicateIn(campaign, language);
      return {
        email: getEmailPath(copy.id),
        open: () => void navigate({ to: editorPath(copy.id, copy.editor ?? 'editor') }),
      };
    },
    editor: campaign.editor,
    revision: campaign.revision,
    buildEditorPath: (kind) => editorPath(id, kind),
  };
}

const editorPath = (id: string, kind: NonNullable<Campaign['editor']>) =>
  kind === 'editor' ? stepPath(id, 'design') : `/html/${id}/${SOURCE_PATHS[kind]}`;

async function duplicateIn({ id, title }: Campaign, language: Language): Promise<Campaign> {
  const copy = await api('POST /client-api/api/campaigns/{id}/duplicate', {
    params: { id },
    body: { title: `${title} (${languageNames[language]})`.slice(0, MAX_TITLE_LENGTH) },
  });
  const { data } = await api('PATCH /client-api/api/campaigns/{id}', {
    params: { id: copy.data.id },
    body: { revision: copy.data.revision, language },
  });
  return data;
}
