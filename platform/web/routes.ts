// How an area adds its screens, its entry in the navigation and its actions in the command palette:
// `areas/<area>/web/routes.tsx` exports `routes = defineRoutes({ … })`, main/web-client wires it in.
import type { ComponentType } from 'react';

type Loaded = Promise<{ default: ComponentType }>;

/**
 * app: with the navigation. bare: signed in, the whole window (builders). guest: nobody signed in
 * needed, a narrow card. open: nobody signed in needed, the whole window.
 */
export type Frame = 'app' | 'bare' | 'guest' | 'open';

export interface ScreenRoute {
  /** `/campaigns/$campaign/edit`; a child's path is relative to its parent. */
  path: string;
  /** Key of the page's title: `campaigns:edit.title`. */
  title?: string;
  frame?: Frame;
  /** `() => import('./edit-screen.tsx')`, whose default export is the screen. */
  load?: () => Loaded;
  /** Shown inside the screen's `<Outlet />` (tabs). */
  children?: ScreenRoute[];
  /** Instead of a screen: where to go; `$names` are filled from the path. Search words are kept. */
  redirectTo?: string;
}

export interface NavigationEntry {
  to: string;
  /** Key of the entry's text. */
  text: string;
  icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
  /** Dashboard 10, Email campaigns 20, SMS 30, Subscribers 40, Automation 50, Forms 60, … */
  order: number;
  /** Two keys that lead here, as `g s`. */
  keys?: string;
}

/** A place below an entry of the navigation, shown while that entry is open; any area may add one. */
export interface SubNavigationEntry {
  /** The entry's `to`. */
  under: string;
  to: string;
  text: string;
  order: number;
}

export interface SettingsEntry {
  to: string;
  text: string;
  order: number;
}

export interface PaletteAction {
  id: string;
  /** Key of its text. */
  text: string;
  /** Key of further words to find it by, separated by spaces. */
  words?: string;
  icon?: NavigationEntry['icon'];
  /** Two keys that do it, as `c e`. */
  keys?: string;
  to?: string;
  run?: () => void;
}

/** Finds objects by their name for the command palette; few and quick. */
export interface PaletteSearch {
  /** Key of what one of them is called. */
  kind: string;
  find: (
    words: string,
    signal: AbortSignal,
  ) => Promise<{ id: string; label: string; to: string }[]>;
}

export interface AreaRoutes {
  /**
   * The catalogues that its screens speak from, besides platform's and the dashboard's: loaded with the first
   * of them that is opened. The check of the texts says which.
   */
  texts: readonly string[];
  screens: ScreenRoute[];
  navigation?: NavigationEntry[];
  subNavigation?: SubNavigationEntry[];
  /** Entries of the settings' own navigation. */
  settings?: SettingsEntry[];
  actions?: PaletteAction[];
  search?: PaletteSearch;
}

export function defineRoutes(routes: AreaRoutes): AreaRoutes {
  return routes;
}
