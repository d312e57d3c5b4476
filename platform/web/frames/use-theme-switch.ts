// Light or dark: follows the system until the user chooses, then stores the choice on this device.
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';

export function useThemeSwitch(): { isDark: boolean; toggle: () => void } {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return { isDark, toggle: () => setColorScheme(isDark ? 'light' : 'dark') };
}
