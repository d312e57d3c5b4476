// A button that inserts an emoji at the caret.
import { ActionIcon } from '@mantine/core';
import { IconMoodSmile } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { lazyWithRetry } from '../shell/lazy-with-retry.ts';
import { Sheet } from '../ui/sheet.tsx';
import { LoadingState } from '../ui/states.tsx';

const EmojiPicker = lazyWithRetry(() => import('../emoji/picker.tsx'));

interface EmojiMenuProps {
  label: string;
  onInsert: (emoji: string) => void;
  size?: number;
}

export function EmojiMenu({ label, onInsert, size = 36 }: EmojiMenuProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Sheet
      isOpen={isOpen}
      onChange={setOpen}
      label={label}
      width={340}
      position="bottom-end"
      withinPortal
      target={
        <ActionIcon variant="subtle" color="gray" size={size} aria-label={label} title={label}>
          <IconMoodSmile size={18} stroke={1.75} />
        </ActionIcon>
      }
    >
      <Suspense fallback={<LoadingState rows={3} />}>
        <EmojiPicker
          onPick={(emoji) => {
            setOpen(false);
            onInsert(emoji);
          }}
        />
      </Suspense>
    </Sheet>
  );
}
