// The button that returns from an editor to the choice of editors.
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconReplace } from '@tabler/icons-react';
import { useTexts } from '#platform/web/texts/texts.ts';

export function ChangeEditor({ onClick }: { onClick: (() => void) | undefined }) {
  const t = useTexts('composing');
  if (!onClick) return null;
  return (
    <Tooltip label={t('editor.change')}>
      <ActionIcon
        variant="default"
        size="input-sm"
        aria-label={t('editor.change')}
        onClick={onClick}
      >
        <IconReplace size={18} stroke={1.75} />
      </ActionIcon>
    </Tooltip>
  );
}
