// All area registrations used by the shell: navigation, settings, actions, and paths of search
// results.
import { createContext, use, useMemo } from 'react';
import { useOptionalSession } from '../session/session.ts';
import type {
  AreaRoutes,
  SearchResultPaths,
  NavigationEntry,
  PaletteAction,
  SettingsEntry,
  SubNavigationEntry,
} from './routes.ts';

export interface RegisteredAreas {
  navigation: NavigationEntry[];
  subNavigation: SubNavigationEntry[];
  settings: SettingsEntry[];
  actions: PaletteAction[];
  searchResultPaths: SearchResultPaths;
}

export function register(areas: readonly AreaRoutes[]): RegisteredAreas {
  const byOrder = (a: { order: number }, b: { order: number }) => a.order - b.order;
  return {
    navigation: areas.flatMap((area) => area.navigation ?? []).sort(byOrder),
    subNavigation: areas.flatMap((area) => area.subNavigation ?? []).sort(byOrder),
    settings: areas.flatMap((area) => area.settings ?? []).sort(byOrder),
    actions: areas.flatMap((area) => area.actions ?? []),
    searchResultPaths: Object.assign(
      {},
      ...areas.map((area) => area.searchResultPaths),
    ) as SearchResultPaths,
  };
}

export const AreasContext = createContext<RegisteredAreas>(register([]));

/** Returns the registrations without settings that the user lacks the right for. */
export function useAreas(): RegisteredAreas {
  const registeredAreas = use(AreasContext);
  const rights = useOptionalSession()?.rights;
  return useMemo(
    () => ({
      ...registeredAreas,
      settings: registeredAreas.settings.filter(
        ({ requiredRight }) => !requiredRight || !rights || rights.includes(requiredRight),
      ),
    }),
    [registeredAreas, rights],
  );
}
