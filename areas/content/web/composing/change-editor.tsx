// The button that returns from an editor to the choice of editors.
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconReplace } from '@tabler/icons-react';
import { useTexts } from '#platform/web/texts/texts.ts';

export function ChangeEditor({ act }: { act: (() => void) | undefined }) {
  const t = useTexts('composing');
  if (!act) return null;
  return (
    <Tooltip label={t('editor.change')}>
      <ActionIcon variant="default" size="input-sm" aria-label={t('editor.change')} onClick={act}>
        <IconReplace size={18} stroke={1.75} />
      </ActionIcon>
    </Tooltip>
  );
}
