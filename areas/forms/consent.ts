// The email consent checkbox: the setting `show_gdpr` and the block are kept in sync, whichever of
// them changes.
import type { FormBlock, FormDocument } from '#embed/forms/shared/document.ts';
import { defaultTexts } from './default-texts.ts';

export type ConsentChannel = Extract<FormBlock, { kind: 'consent' }>['as'];

export const hasConsent = (document: FormDocument, channel: ConsentChannel): boolean =>
  document.steps.some(({ blocks }) =>
    blocks.some((block) => block.kind === 'consent' && block.as === channel),
  );

/**
 * If `isOn`, returns the form with an email consent checkbox before the button of its last step, in
 * the form's language; otherwise without such a checkbox.
 */
export function setConsent(document: FormDocument, isOn: boolean, newId: string): FormDocument {
  if (isOn === hasConsent(document, 'email')) return document;
  const lastStep = document.steps.length - 1;
  const box: FormBlock = {
    id: newId,
    kind: 'consent',
    as: 'email',
    text: defaultTexts(document.language).consent,
    required: true,
  };
  const steps = document.steps.map((step, i) => {
    if (!isOn) {
      const isKept = (block: FormBlock) => block.kind !== 'consent' || block.as !== 'email';
      return { ...step, blocks: step.blocks.filter(isKept) };
    }
    if (i !== lastStep) return step;
    const buttonIndex = step.blocks.findIndex(({ kind }) => kind === 'button');
    return {
      ...step,
      blocks: step.blocks.toSpliced(buttonIndex < 0 ? step.blocks.length : buttonIndex, 0, box),
    };
  });
  return { ...document, steps };
}
