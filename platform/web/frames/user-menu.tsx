// The user menu: profile, theme, keys, accounts, language and sign-out. Loaded on first use.
import { IconKeyboard, IconLogout, IconMoon, IconSun, IconUser } from '@tabler/icons-react';
import { useAreas } from '../shell/areas.ts';
import { keysHelp } from '../palette/open.ts';
import { signOut } from '../session/session.ts';
import { useTexts } from '../texts/texts.ts';
import { MenuEntry, MenuLine, MenuOrSheet } from '../ui/menu-or-sheet.tsx';
import { useOpenedFrom } from '../hooks/use-opened-from.ts';
import { useTouch } from '../hooks/use-touch.ts';
import { AccountItems } from './account-items.tsx';
import { LanguageItems } from './language-menu.tsx';
import { useThemeSwitch } from './use-theme-switch.ts';
import { UserButton } from './user-button.tsx';

const ICON = { size: 18, stroke: 1.75 };

export default function UserMenu() {
  const t = useTexts('platform');
  const isTouch = useTouch();
  const { isDark, toggle } = useThemeSwitch();
  const { button, isOpen, setOpen } = useOpenedFrom();
  const profile = useAreas().settings.find((entry) => entry.to === '/settings/user');
  return (
    <MenuOrSheet
      isOpen={isOpen}
      onChange={setOpen}
      target={<UserButton ref={button} />}
      label={t('shell.userMenu')}
      width={240}
      position="top-start"
    >
      {profile && (
        <MenuEntry icon={<IconUser {...ICON} />} to={profile.to}>
          {t(profile.text)}
        </MenuEntry>
      )}
      <MenuEntry
        icon={isDark ? <IconSun {...ICON} /> : <IconMoon {...ICON} />}
        run={toggle}
        staysOpen
      >
        {t(isDark ? 'shell.lightTheme' : 'shell.darkTheme')}
      </MenuEntry>
      {!isTouch && (
        <MenuEntry icon={<IconKeyboard {...ICON} />} run={keysHelp.open}>
          {t('keys.title')}
        </MenuEntry>
      )}
      <AccountItems />
      <LanguageItems title={t('shell.language')} />
      <MenuLine />
      <MenuEntry icon={<IconLogout {...ICON} />} run={() => void signOut()}>
        {t('shell.signOut')}
      </MenuEntry>
    </MenuOrSheet>
  );
}
