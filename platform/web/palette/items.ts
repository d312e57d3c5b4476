// The palette's entries. Without a search term, these are recently used entries and commands: the
// areas' actions, the screens, the settings, the color schemes, the languages, the guide and
// sign-out. A search term also finds objects by name.
import { useDebouncedValue } from '@mantine/hooks';
import {
  IconHelp,
  IconHistory,
  IconLanguage,
  IconMoon,
  IconSearch,
  IconSettings,
  IconSun,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { calls } from '#platform/search-contract.ts';
import { client } from '../api/api.ts';
import { openGuide } from '../help/guide-pages.ts';
import { type RegisteredAreas, useAreas } from '../shell/areas.ts';
import { useThemeSwitch } from '../frames/use-theme-switch.ts';
import { LANGUAGES, languageNames } from '../texts/languages.ts';
import type { NavigationEntry } from '../shell/routes.ts';
import { chooseLanguage, signOut } from '../session/session.ts';
import { showError } from '../errors/errors.ts';
import { getCurrentLanguage, type Texts, texts, useTexts } from '../texts/texts.ts';
import { listLanguageNames } from './language-names.ts';
import { rankItems } from './rank.ts';
import { readRecent } from './recent.ts';

const MAX_ITEMS = 40;
/** Minimum search length, because almost every name contains any single letter. */
const MIN_TERM = 2;
const api = client<typeof calls>();

export interface Item {
  id: string;
  label: string;
  /**
   * The kind of an object, or the heading of a setting or language; undefined for other entries.
   */
  kind?: string | undefined;
  /** Shown beside the label. */
  detail?: string | undefined;
  keywords?: string | undefined;
  icon?: NavigationEntry['icon'] | undefined;
  to?: string | undefined;
  run?: (() => void) | undefined;
}

export interface Items {
  items: Item[];
  isSearching: boolean;
}

export function useItems(input: string): Items {
  const t = useTexts('platform');
  const areas = useAreas();
  const getKeywords = useKeywords();
  const term = input.trim();
  const [recent] = useState(readRecent);
  const commands = [
    ...itemsOfAreas(areas, getKeywords, t),
    ...useThemeItems(t),
    ...languageItems(t),
    guideItem(t),
    signOutItem(t),
  ];
  const { found, isSearching } = useFound(term, areas);
  const all = useAllSubscribers(term);
  if (term !== '') {
    return {
      items: [...rankItems(commands, found, term).slice(0, MAX_ITEMS), ...all],
      isSearching,
    };
  }
  const recentItems = recent.map((item) => ({ ...item, icon: IconHistory }));
  return {
    items: rankItems([...recentItems, ...commands], [], '').slice(0, MAX_ITEMS),
    isSearching: false,
  };
}

function useFound(term: string, { searchResultPaths: paths }: RegisteredAreas) {
  const t = useTexts('search');
  const [settled] = useDebouncedValue(term, 150);
  const isLong = settled.length >= MIN_TERM;
  const query = useQuery({
    queryKey: ['palette', settled],
    enabled: isLong,
    staleTime: 30_000,
    queryFn: ({ signal }) =>
      api('GET /client-api/api/search', { query: { search: settled }, signal }),
  });
  const foundItems = (query.data?.data ?? []).flatMap((row): Item[] => {
    const to = paths[row.kind]?.(row);
    const detail = row.detail ?? undefined;
    const kindLabel = t(`kinds.${row.kind}`);
    return to
      ? [{ id: row.id, label: row.title, kind: kindLabel, detail, keywords: detail, to }]
      : [];
  });
  const isWaiting = term.length >= MIN_TERM && settled !== term;
  return { found: foundItems, isSearching: isWaiting || (isLong && query.isFetching) };
}

/**
 * Returns an entry that opens the full subscriber search, because the palette compares only the
 * newest subscribers if there are very many.
 */
function useAllSubscribers(term: string): Item[] {
  const t = useTexts('search');
  if (term.length < MIN_TERM) return [];
  const to = `/subscribers?${new URLSearchParams({ search: term }).toString()}`;
  const label = t('allSubscribers', { term });
  return [{ id: 'to:subscribers-search', label, icon: IconSearch, to }];
}

/** Returns search words for a screen: its names in other products, and what it contains. */
function useKeywords(): (to: string) => string | undefined {
  const t = useTexts('search');
  return (to) => {
    const id = to.slice(1).replaceAll('/', '-');
    return texts.exists(`search:words.${id}`) ? t(`words.${id}`) : undefined;
  };
}

function itemsOfAreas(
  areas: RegisteredAreas,
  getKeywords: (to: string) => string | undefined,
  t: Texts,
): Item[] {
  return [
    ...areas.actions.map((action) => ({
      ...action,
      label: t(action.text),
      keywords: action.keywords && t(action.keywords),
    })),
    ...[...areas.navigation, ...areas.subNavigation].map((entry) => ({
      id: `to:${entry.to}`,
      label: t(entry.text),
      keywords: getKeywords(entry.to),
      icon: 'icon' in entry ? entry.icon : undefined,
      to: entry.to,
    })),
    ...areas.settings.map((entry) => ({
      id: `to:${entry.to}`,
      label: t(entry.text),
      keywords: getKeywords(entry.to),
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
      keywords: t('palette.theme'),
      icon: isDark ? IconSun : IconMoon,
      run: toggle,
    },
  ];
}

/**
 * Lists every other language by its native name, for users who cannot read the current language.
 */
function languageItems(t: Texts): Item[] {
  return LANGUAGES.filter((language) => language !== getCurrentLanguage()).map((language) => ({
    id: `language:${language}`,
    label: languageNames[language],
    kind: t('shell.language'),
    keywords: `${t('shell.language')} ${listLanguageNames(language)}`,
    icon: IconLanguage,
    run: () => void chooseLanguage(language).catch(showError),
  }));
}

function guideItem(t: Texts): Item {
  return {
    id: 'guide',
    label: t('help.screen'),
    keywords: `${t('help.title')} ${t('help.guide')}`,
    icon: IconHelp,
    run: openGuide,
  };
}

function signOutItem(t: Texts): Item {
  return { id: 'sign-out', label: t('shell.signOut'), run: () => void signOut() };
}
