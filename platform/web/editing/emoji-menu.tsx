// A button that inserts an emoji at the caret: a menu for mouse, a bottom sheet for touch.
import { ActionIcon, Menu, SimpleGrid, UnstyledButton } from '@mantine/core';
import { IconMoodSmile } from '@tabler/icons-react';
import { useState } from 'react';
import { BottomSheet } from '../ui/bottom-sheet.tsx';
import { useTouch } from '../hooks/use-touch.ts';
import { EMOJI } from './emoji.ts';
import classes from './emoji-menu.module.css';

interface EmojiMenuProps {
  label: string;
  onInsert: (emoji: string) => void;
  size?: number;
}

export function EmojiMenu(props: EmojiMenuProps) {
  return useTouch() ? <EmojiSheet {...props} /> : <PointerMenu {...props} />;
}

function PointerMenu({ label, onInsert, size = 36 }: EmojiMenuProps) {
  return (
    <Menu withinPortal position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={size} aria-label={label} title={label}>
          <IconMoodSmile size={18} stroke={1.75} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown mah={280} style={{ overflowY: 'auto' }}>
        <SimpleGrid cols={8} spacing={2} verticalSpacing={2}>
          {EMOJI.map((emoji) => (
            <Menu.Item key={emoji} p={6} onClick={() => onInsert(emoji)}>
              {emoji}
            </Menu.Item>
          ))}
        </SimpleGrid>
      </Menu.Dropdown>
    </Menu>
  );
}

function EmojiSheet({ label, onInsert, size = 36 }: EmojiMenuProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={size}
        aria-label={label}
        title={label}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <IconMoodSmile size={18} stroke={1.75} />
      </ActionIcon>
      <BottomSheet isOpen={isOpen} close={() => setOpen(false)} title={label}>
        <div className={classes.grid}>
          {EMOJI.map((emoji) => (
            <UnstyledButton
              key={emoji}
              className={classes.emoji}
              onClick={() => {
                setOpen(false);
                onInsert(emoji);
              }}
            >
              {emoji}
            </UnstyledButton>
          ))}
        </div>
      </BottomSheet>
    </>
  );
}
