// A dialog that lists content that still contains an erased address, so that a user can edit it.
import { copyText } from '#platform/web/clipboard.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';

/** Returns a function that shows the dialog if any content was found. */
export function useFoundContents(): (contents?: readonly { title: string }[]) => Promise<void> {
  const t = useTexts('approvals');
  return async (contents = []) => {
    if (contents.length === 0) return;
    const names = contents.map(({ title }) => title);
    const isCopied = await confirm({
      title: t('found.title'),
      message: t('found.message'),
      names,
      confirm: t('found.copy'),
      cancel: t('found.close'),
    });
    if (isCopied) await copyText(names.join('\n'));
  };
}
