// A new form: its type, then its layout, each drawn by the renderer, in the language of its
// visitors.
import { NativeSelect, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import {
  type FormType,
  type FormLayout,
  TEMPLATE_LANGUAGES,
  TYPES,
} from '#embed/forms/shared/document.ts';
import { parseOneOf, useSearchParams } from '#platform/web/api/address.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import {
  createFormDocument,
  listLayouts,
  createSlices,
  type TemplateLanguage,
} from '../layouts.ts';
import { MAX_TITLE_LENGTH } from '../shared.ts';
import classes from './create-screen.module.css';
import { Miniature } from './miniature.tsx';
import { api, builderPath, LIST_PATH } from './queries.ts';

const address = {
  type: parseOneOf(['', ...TYPES], ''),
  language: parseOneOf(['', ...TEMPLATE_LANGUAGES], ''),
};
/** The layout that represents each type. */
const FACES: Record<FormType, FormLayout> = {
  popup: 'picture-start',
  embed: 'row',
  spinToWin: 'wheel-beside',
};
const ORDER = ['popup', 'embed', 'spinToWin'] as const;

export default function CreateScreen() {
  const [{ type, language: chosen }, set] = useSearchParams(address);
  const { account } = useSession();
  const defaultLanguage =
    TEMPLATE_LANGUAGES.find((templateLanguage) => templateLanguage === account.language) ?? 'eng';
  const language =
    TEMPLATE_LANGUAGES.find((templateLanguage) => templateLanguage === chosen) ?? defaultLanguage;
  const formType = ORDER.find((known) => known === type);
  if (!formType) return <Types language={language} onChoose={(type) => set({ type })} />;
  return (
    <Layouts type={formType} language={language} onLanguage={(language) => set({ language })} />
  );
}

function Types(props: { language: TemplateLanguage; onChoose: (type: FormType) => void }) {
  const t = useTexts('forms');
  return (
    <Page
      title={t('create.title')}
      description={t('create.typeText')}
      back={{ to: '/forms', label: t('title') }}
    >
      <ul className={classes.types}>
        {ORDER.map((type) => (
          <li key={type} className={classes.card}>
            <LayoutMiniature type={type} layout={FACES[type]} language={props.language} />
            <button type="button" className={classes.open} onClick={() => props.onChoose(type)}>
              <span className={classes.title}>{t(`types.${type}`)}</span>
              <span className={classes.text}>{t(`create.about.${type}`)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Page>
  );
}

function Layouts(props: {
  type: FormType;
  language: TemplateLanguage;
  onLanguage: (language: TemplateLanguage) => void;
}) {
  const { type, language, onLanguage } = props;
  const t = useTexts('forms');
  const create = useCreate(type, language);
  return (
    <Page
      title={t(`create.of.${type}`)}
      description={t('create.layoutText')}
      back={{ to: '/forms/create', label: t('create.back') }}
      actions={
        <NativeSelect
          label={t('create.language')}
          value={language}
          onChange={({ currentTarget: { value } }) => onLanguage(value as TemplateLanguage)}
          data={TEMPLATE_LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        />
      }
    >
      <ul className={classes.grid}>
        {listLayouts(type).map((layout) => (
          <li key={layout} className={classes.card}>
            <LayoutMiniature type={type} layout={layout} language={language} />
            <button type="button" className={classes.open} onClick={() => void create(layout)}>
              <span className={classes.title}>{t(`layouts.${layout}`)}</span>
            </button>
          </li>
        ))}
      </ul>
      <Text size="sm" c="dimmed" mt="lg">
        {t('create.note')}
      </Text>
    </Page>
  );
}

/** Languages under their native names, which their speakers look for. */
const LANGUAGE_NAMES: Record<TemplateLanguage, string> = {
  eng: 'English',
  lit: 'Lietuvių',
  pol: 'Polski',
  spa: 'Español',
};

function LayoutMiniature(props: {
  type: FormType;
  layout: FormLayout;
  language: TemplateLanguage;
}) {
  const { type, layout, language } = props;
  const form = useMemo(
    () => createFormDocument(layout, language, window.location.origin),
    [layout, language],
  );
  const wheel = useMemo(
    () => (type === 'spinToWin' ? createSlices(language, layout) : undefined),
    [type, language, layout],
  );
  return <Miniature document={form} type={type} wheel={wheel} />;
}

/** Prompts for a title, creates the form and opens the builder. */
function useCreate(type: FormType, language: TemplateLanguage) {
  const t = useTexts('forms');
  const navigate = useNavigate();
  return async (layout: FormLayout) => {
    let id = '';
    const title = await promptInput({
      type: 'text',
      title: t('create.name'),
      label: t('columns.title'),
      value: t(`create.of.${type}`),
      maxLength: MAX_TITLE_LENGTH,
      confirm: t('create.confirm'),
      send: async (title) => {
        const created = await api('POST /client-api/api/forms', {
          body: { type, title, layout, language },
        });
        id = created.data.id;
      },
    });
    if (title === undefined) return;
    await invalidate(LIST_PATH);
    await navigate({ to: builderPath(id) });
  };
}
