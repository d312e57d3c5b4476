// Texts for new blocks until their author changes them, in the form's language.
import type { FormLanguage } from '#embed/forms/shared/document.ts';
import eng from '../../locales/eng/form-blocks.content.json' with { type: 'json' };
import fas from '../../locales/fas/form-blocks.content.json' with { type: 'json' };
import lav from '../../locales/lav/form-blocks.content.json' with { type: 'json' };
import lit from '../../locales/lit/form-blocks.content.json' with { type: 'json' };
import nor from '../../locales/nor/form-blocks.content.json' with { type: 'json' };
import pol from '../../locales/pol/form-blocks.content.json' with { type: 'json' };
import spa from '../../locales/spa/form-blocks.content.json' with { type: 'json' };
import swe from '../../locales/swe/form-blocks.content.json' with { type: 'json' };

export type DefaultTexts = Omit<typeof eng, 'fields'> & { fields: Record<string, string> };

const DEFAULT_TEXTS: Record<FormLanguage, DefaultTexts> = {
  eng,
  lit,
  pol,
  spa,
  lav,
  nor,
  swe,
  fas,
};

export const defaultTexts = (language: FormLanguage): DefaultTexts => DEFAULT_TEXTS[language];
