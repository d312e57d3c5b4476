// A button that puts an emoji where the caret is.
import { ActionIcon, Menu, SimpleGrid } from '@mantine/core';
import { IconMoodSmile } from '@tabler/icons-react';
import { EMOJI } from './emoji.ts';

interface EmojiMenuProps {
  label: string;
  onInsert: (emoji: string) => void;
  size?: number;
}

export function EmojiMenu({ label, onInsert, size = 36 }: EmojiMenuProps) {
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
