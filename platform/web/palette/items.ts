// The palette's entries: actions of areas, places, settings, appearance and language, and objects
// by name.
import { useDebouncedValue } from '@mantine/hooks';
import { IconHistory, IconLanguage, IconMoon, IconSettings, IconSun } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Registered, useAreas } from '../shell/areas.ts';
import { useThemeSwitch } from '../frames/use-theme-switch.ts';
import { LANGUAGES, languageNames } from '../texts/languages.ts';
import type { NavigationEntry } from '../shell/routes.ts';
import { chooseLanguage, signOut } from '../session/session.ts';
import { showError } from '../errors/errors.ts';
import { currentLanguage, type Texts, useTexts } from '../texts/texts.ts';
import { ranked } from './rank.ts';
import { readRecent } from './recent.ts';

const MAX = 40;

export interface Item {
  id: string;
  label: string;
  /** The kind of object; undefined for actions. */
  kind?: string | undefined;
  words?: string | undefined;
  icon?: NavigationEntry['icon'] | undefined;
  to?: string | undefined;
  run?: (() => void) | undefined;
}

export function useItems(term: string): Item[] {
  const t = useTexts('platform');
  const areas = useAreas();
  const [recent] = useState(readRecent);
  const commands = [...actsOf(areas, t), ...useThemeItems(t), ...languageItems(t), signOutItem(t)];
  const found = useFound(term.trim(), areas, t);
  if (term.trim() !== '') return ranked(commands, found, term).slice(0, MAX);
  const lately = recent.map((one) => ({ ...one, icon: IconHistory }));
  return ranked([...lately, ...commands], [], '').slice(0, MAX);
}

function useFound(term: string, areas: Registered, t: Texts): Item[] {
  const [settled] = useDebouncedValue(term, 150);
  const found = useQuery({
    queryKey: ['palette', settled],
    enabled: settled.length > 1 && areas.searches.length > 0,
    staleTime: 30_000,
    queryFn: async ({ signal }) => {
      const answers = await Promise.allSettled(
        areas.searches.map(async ({ kind, find }) => {
          const objects = await find(settled, signal);
          return objects.map((thing) => ({ ...thing, kind: t(kind) }));
        }),
      );
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    },
  });
  return found.data ?? [];
}

function actsOf(areas: Registered, t: Texts): Item[] {
  return [
    ...areas.actions.map((act) => ({
      ...act,
      label: t(act.text),
      words: act.words && t(act.words),
    })),
    ...[...areas.navigation, ...areas.subNavigation].map((entry) => ({
      id: `to:${entry.to}`,
      label: t(entry.text),
      icon: 'icon' in entry ? entry.icon : undefined,
      to: entry.to,
    })),
    ...areas.settings.map((entry) => ({
      id: `to:${entry.to}`,
      label: t(entry.text),
      kind: t('shell.settings'),
      icon: IconSettings,
      to: entry.to,
    })),
  ];
}

function useThemeItems(t: Texts): Item[] {
  const { isDark, toggle } = useThemeSwitch();
  return [
    {
      id: 'theme',
      label: t(isDark ? 'shell.lightTheme' : 'shell.darkTheme'),
      words: t('palette.theme'),
      icon: isDark ? IconSun : IconMoon,
      run: toggle,
    },
  ];
}

/** Each language named in itself, for users who cannot read the current one. */
function languageItems(t: Texts): Item[] {
  return LANGUAGES.filter((language) => language !== currentLanguage()).map((language) => ({
    id: `language:${language}`,
    label: languageNames[language],
    kind: t('shell.language'),
    words: `${t('shell.language')} ${language}`,
    icon: IconLanguage,
    run: () => void chooseLanguage(language).catch(showError),
  }));
}

function signOutItem(t: Texts): Item {
  return { id: 'sign-out', label: t('shell.signOut'), run: () => void signOut() };
}
