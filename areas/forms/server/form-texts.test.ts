// The words that the server says by a form, in each of the languages that forms are written in.
import { expect, test } from 'vitest';
import { FORM_LANGUAGES } from '#embed/forms/shared/document.ts';
import english from '../../../locales/eng/forms.server.json' with { type: 'json' };
import { formTexts } from './form-texts.ts';

const keys = (['site', 'mail', 'confirm'] as const)
  .flatMap((part) => Object.keys(english[part]).map((key) => `${part}.${key}`))
  // Said in the editor, to the form's author.
  .filter((key) => key !== 'mail.link');

test.each(FORM_LANGUAGES.filter((language) => language !== 'eng'))(
  '%s says all of it',
  (language) => {
    const [own, inEnglish] = [formTexts(language), formTexts('eng')];
    for (const key of keys) {
      const said = own(key, { company: 'Té & Té {x}' });
      expect(said, key).not.toBe(inEnglish(key, { company: 'Té & Té {x}' }));
      expect(said, key).not.toContain('{{');
      expect(said.includes('Té & Té {x}'), key).toBe(
        inEnglish(key, { company: 'Té & Té {x}' }).includes('Té & Té {x}'),
      );
    }
  },
);
