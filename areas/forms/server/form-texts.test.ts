// The form text that the server renders, in each language of forms.
import { expect, test } from 'vitest';
import { FORM_LANGUAGES } from '#embed/forms/shared/document.ts';
import english from '../../../locales/eng/form-pages.server.json' with { type: 'json' };
import { formTexts } from './form-texts.ts';

const keys = (['site', 'mail', 'confirm'] as const).flatMap((part) =>
  Object.keys(english[part]).map((key) => `${part}.${key}`),
);

test.each(FORM_LANGUAGES.filter((language) => language !== 'eng'))(
  '%s has a translation of each string',
  (language) => {
    const [translate, inEnglish] = [formTexts(language), formTexts('eng')];
    for (const key of keys) {
      const translation = translate(key, { company: 'Té & Té {x}' });
      expect(translation, key).not.toBe(inEnglish(key, { company: 'Té & Té {x}' }));
      expect(translation, key).not.toContain('{{');
      expect(translation.includes('Té & Té {x}'), key).toBe(
        inEnglish(key, { company: 'Té & Té {x}' }).includes('Té & Té {x}'),
      );
    }
  },
);
