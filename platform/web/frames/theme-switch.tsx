// Light or dark: follows the system until chosen.
import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';
import { useTexts } from '../texts.ts';

export function useThemeSwitch(): { isDark: boolean; toggle: () => void } {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return { isDark, toggle: () => setColorScheme(isDark ? 'light' : 'dark') };
}

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
