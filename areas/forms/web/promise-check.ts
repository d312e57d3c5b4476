// Asks the user before publishing a form that promises a code without having one: in the builder,
// in the list and on the form's page.
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { Advice } from './builder/advice.ts';

/** Resolves to true if the user publishes the form anyway. */
export function usePromiseQuestion(): (broken: Advice) => Promise<boolean> {
  const t = useTexts('forms-builder');
  return (broken) =>
    confirm({
      title: t('promise.title'),
      message: t(`advice.${broken}`),
      confirm: t('promise.anyway'),
      cancel: t('promise.set'),
    });
}
