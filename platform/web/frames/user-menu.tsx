// The person's own menu: theme, keys, language and the way out. Loaded with its first opening.
import { Menu } from '@mantine/core';
import { IconKeyboard, IconLogout, IconMoon, IconSun, IconUser } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useAreas } from '../areas.ts';
import { keysHelp } from '../palette/open.ts';
import { signOut } from '../session.ts';
import { useTexts } from '../texts.ts';
import { useOpenedFrom } from '../use-opened-from.ts';
import { LanguageItems } from './language-menu.tsx';
import { useThemeSwitch } from './use-theme-switch.ts';
import { AccountItems } from './account-items.tsx';
import { UserButton } from './user-button.tsx';

export default function UserMenu() {
  const t = useTexts('platform');
  const { isDark, toggle } = useThemeSwitch();
  const { button, isOpen, setOpen } = useOpenedFrom();
  const profile = useAreas().settings.find((entry) => entry.to === '/settings/user');
  return (
    <Menu position="top-start" width={240} opened={isOpen} onChange={setOpen} returnFocus>
      <Menu.Target>
        <UserButton ref={button} />
      </Menu.Target>
      <Menu.Dropdown aria-label={t('shell.userMenu')}>
        {profile && (
          <Menu.Item
            component={Link}
            to={profile.to}
            leftSection={<IconUser size={18} stroke={1.75} />}
          >
            {t(profile.text)}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={
            isDark ? <IconSun size={18} stroke={1.75} /> : <IconMoon size={18} stroke={1.75} />
          }
          closeMenuOnClick={false}
          onClick={toggle}
        >
          {t(isDark ? 'shell.lightTheme' : 'shell.darkTheme')}
        </Menu.Item>
        <Menu.Item leftSection={<IconKeyboard size={18} stroke={1.75} />} onClick={keysHelp.open}>
          {t('keys.title')}
        </Menu.Item>
        <AccountItems />
        <Menu.Label>{t('shell.language')}</Menu.Label>
        <LanguageItems />
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconLogout size={18} stroke={1.75} />}
          onClick={() => void signOut()}
        >
          {t('shell.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
