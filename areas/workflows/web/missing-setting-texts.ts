// The sentence that names the missing settings of a step.
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { WorkflowStep } from '../contract.ts';

export function useMissingText(): (step: WorkflowStep) => string {
  const t = useTexts('workflows');
  const { list } = useFormats();
  return ({ missing }) =>
    t('builder.lacks', {
      what: list(missing.map((name) => t([`missing.${name}`, 'missing.other']))),
    });
}
