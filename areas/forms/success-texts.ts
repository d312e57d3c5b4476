// The default text of the success view; with double opt-in it prompts visitors to check their
// inbox. Text changed by the author is not replaced.
import type { FormBlock, FormDocument } from '#embed/forms/shared/document.ts';
import { FORM_LANGUAGES } from '#embed/forms/shared/document.ts';
import { type DefaultTexts, defaultTexts } from './default-texts.ts';

const selectThanks = (texts: DefaultTexts) => ({ heading: texts.thanks, text: texts.thanksText });
const selectInbox = (texts: DefaultTexts) => ({ heading: texts.inbox, text: texts.inboxText });

/**
 * Replaces default text of the success view with the text for a form with or without double opt-in.
 */
export function replaceSuccessTexts(document: FormDocument, isDoubleOptIn: boolean): FormDocument {
  const [before, after] = isDoubleOptIn ? [selectThanks, selectInbox] : [selectInbox, selectThanks];
  const defaults = FORM_LANGUAGES.map((language) => before(defaultTexts(language)));
  const texts = after(defaultTexts(document.language));
  const replaceBlock = (block: FormBlock): FormBlock => {
    if (block.kind !== 'heading' && block.kind !== 'text') return block;
    const { kind, text } = block;
    return defaults.some((previous) => previous[kind] === text)
      ? { ...block, text: texts[kind] }
      : block;
  };
  return { ...document, success: document.success.map(replaceBlock) };
}
