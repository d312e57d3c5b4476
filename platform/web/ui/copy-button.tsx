// Copies a text: an icon that says what it does, and a notice that says whether it worked.
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { copyText } from '../clipboard.ts';
import { useTexts } from '../texts.ts';

export interface CopyButtonProps {
  value: string;
  /** What is copied, where "Copy" alone is not enough. */
  label?: string;
}

export function CopyButton({ value, label }: CopyButtonProps) {
  const t = useTexts('platform');
  const words = label ?? t('clipboard.copy');
  return (
    <Tooltip label={words}>
      <ActionIcon aria-label={words} onClick={() => void copyText(value)}>
        <IconCopy size={18} stroke={1.75} />
      </ActionIcon>
    </Tooltip>
  );
}
