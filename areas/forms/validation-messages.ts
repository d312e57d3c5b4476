// Validation messages of forms by language. An author may override them.
import type { FormLanguage } from '#embed/forms/shared/document.ts';
import type { TextKey } from '#embed/forms/shared/text-keys.ts';
import eng from '../../locales/eng/form-messages.content.json' with { type: 'json' };
import fas from '../../locales/fas/form-messages.content.json' with { type: 'json' };
import lav from '../../locales/lav/form-messages.content.json' with { type: 'json' };
import lit from '../../locales/lit/form-messages.content.json' with { type: 'json' };
import nor from '../../locales/nor/form-messages.content.json' with { type: 'json' };
import pol from '../../locales/pol/form-messages.content.json' with { type: 'json' };
import spa from '../../locales/spa/form-messages.content.json' with { type: 'json' };
import swe from '../../locales/swe/form-messages.content.json' with { type: 'json' };

export const WORDS: Record<FormLanguage, Record<TextKey, string>> = {
  eng,
  lit,
  pol,
  spa,
  lav,
  nor,
  swe,
  fas,
};
