// The navigation: the areas' entries in order, search, settings, and the menus of test tools, help
// and the user.
import { Kbd, UnstyledButton } from '@mantine/core';
import { IconSearch, IconSettings } from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import { useAreas } from '../shell/areas.ts';
import { palette } from '../palette/open.ts';
import type { NavigationEntry } from '../shell/routes.ts';
import { useFormats } from '../texts/formats.ts';
import { useTexts } from '../texts/texts.ts';
import classes from './frames.module.css';
import { LogoMark } from './logo.tsx';
import { HelpEntry, TestToolsEntry, UserEntry } from './menu-entries.tsx';
import { PRODUCT_NAME } from './root.tsx';

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

export function Navigation() {
  const t = useTexts('platform');
  const { navigation, settings } = useAreas();
  const hasSettings = settings.some((entry) => entry.to === '/settings/account');
  return (
    <nav className={classes.nav} aria-label={t('shell.navigation')}>
      <span className={classes.brand}>
        <LogoMark size={28} />
        {PRODUCT_NAME}
      </span>
      <UnstyledButton className={classes.search} onClick={palette.open}>
        <IconSearch size={16} stroke={1.75} aria-hidden="true" />
        <span>{t('palette.open')}</span>
        <Kbd aria-hidden="true">{isApple ? '⌘K' : 'Ctrl K'}</Kbd>
      </UnstyledButton>
      <ul className={classes.entries}>
        {navigation.map((entry) => (
          <Entry key={entry.to} entry={entry} />
        ))}
      </ul>
      <div>
        <ul className={classes.entries}>
          {hasSettings && (
            <Entry
              entry={{
                to: '/settings/account',
                text: 'platform:shell.settings',
                icon: IconSettings,
                order: 0,
              }}
              activePrefix="/settings"
              childEntries={settings}
            />
          )}
        </ul>
        <TestToolsEntry />
        <HelpEntry />
      </div>
      <UserEntry />
    </nav>
  );
}

interface EntryProps {
  entry: NavigationEntry;
  /** The entry is active on all pages below this path; by default below its own. */
  activePrefix?: string;
  /**
   * Entries shown below this one while it is active; by default, the entries registered by areas.
   */
  childEntries?: { to: string; text: string }[];
}

function Entry({ entry, activePrefix = entry.to, childEntries: override }: EntryProps) {
  const t = useTexts('platform');
  const path = useRouterState({ select: (state) => state.location.pathname });
  const { navigation, subNavigation } = useAreas();
  const childEntries = override ?? subNavigation.filter((child) => child.parent === entry.to);
  // A child that is also a top-level entry does not activate its parent: its own entry is active.
  const isElsewhere = (to: string) => navigation.some((other) => other.to === to);
  const isActive =
    isUnder(path, activePrefix) ||
    childEntries.some(({ to }) => isUnder(path, to) && !isElsewhere(to));
  const { useCount = useNoCount } = entry;
  const count = useCount();
  const { number } = useFormats();
  if (count === 0 && !isActive) return null;
  return (
    <li>
      <Link
        to={entry.to}
        className={classes.entry}
        data-open={isActive || undefined}
        aria-current={path === entry.to ? 'page' : isActive ? 'true' : undefined}
      >
        <entry.icon size={18} stroke={1.75} />
        {t(entry.text)}
        {count !== undefined && count > 0 && <span className={classes.count}>{number(count)}</span>}
      </Link>
      {isActive && childEntries.length > 0 && (
        <ul className={classes.subEntries}>
          {childEntries.map((child) => (
            <li key={child.to}>
              <Link
                to={child.to}
                className={classes.subEntry}
                data-open={isUnder(path, child.to) || undefined}
                aria-current={path === child.to ? 'page' : undefined}
              >
                {t(child.text)}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

const useNoCount = (): number | undefined => undefined;

function isUnder(path: string, entry: string): boolean {
  return entry === '/' ? path === '/' : path === entry || path.startsWith(`${entry}/`);
}
