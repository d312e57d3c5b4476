// The button that switches between light and dark.
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';
import { useTexts } from '../texts/texts.ts';
import { useThemeSwitch } from './use-theme-switch.ts';

export function ThemeSwitch() {
  const t = useTexts('platform');
  const { isDark, toggle } = useThemeSwitch();
  const label = t(isDark ? 'shell.lightTheme' : 'shell.darkTheme');
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={toggle}>
        {isDark ? <IconSun size={18} stroke={1.75} /> : <IconMoon size={18} stroke={1.75} />}
      </ActionIcon>
    </Tooltip>
  );
}
