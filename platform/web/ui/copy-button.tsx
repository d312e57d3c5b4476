// A labeled icon button that copies text and shows a notice of success or failure.
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { copyText } from '../clipboard.ts';
import { useTexts } from '../texts/texts.ts';

export interface CopyButtonProps {
  value: string;
  /** Names the copied text if "Copy" alone is unclear. */
  label?: string;
}

export function CopyButton({ value, label }: CopyButtonProps) {
  const t = useTexts('platform');
  const tooltip = label ?? t('clipboard.copy');
  return (
    <Tooltip label={tooltip}>
      <ActionIcon aria-label={tooltip} onClick={() => void copyText(value)}>
        <IconCopy size={18} stroke={1.75} />
      </ActionIcon>
    </Tooltip>
  );
}
