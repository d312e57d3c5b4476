// How an area registers its screens, navigation entry and palette actions:
// `areas/<area>/web/routes.tsx` exports `routes = defineRoutes({ … })`, and main/web-client
// includes it.
import type { ComponentType } from 'react';
import type { SearchResult } from '#platform/search-contract.ts';
import type { FoundKind } from '#platform/search-shared.ts';
import type { Right } from '#platform/rights.ts';

type LoadedScreen = Promise<{ default: ComponentType }>;

/**
 * app: with the navigation. bare: signed in, the whole window (builders). guest: no sign-in, a
 * narrow card. open: no sign-in, the whole window.
 */
export type Frame = 'app' | 'bare' | 'guest' | 'open';

export interface ScreenRoute {
  /** `/campaigns/$campaign/edit`; a child's path is relative to its parent. */
  path: string;
  /** Key of the page's title: `campaigns:edit.title`. */
  title?: string;
  frame?: Frame;
  /** `() => import('./edit-screen.tsx')`; the default export is the screen. */
  load?: () => LoadedScreen;
  /** Rendered inside the screen's `<Outlet />` (tabs). */
  children?: ScreenRoute[];
  /**
   * Target of a redirect instead of a screen; `$names` are filled from the path. The query string
   * is kept.
   */
  redirectTo?: string;
}

export interface NavigationEntry {
  to: string;
  /** Key of the entry's label. */
  text: string;
  icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
  /** Dashboard 10, Email campaigns 20, SMS 30, Subscribers 40, Automation 50, Forms 60, … */
  order: number;
  /** Two-key shortcut, such as `g s`. */
  keys?: string;
  /**
   * Hook that returns the number next to the label. At 0 the entry is hidden, unless it is open.
   */
  useCount?: () => number;
}

/**
 * A navigation entry below a parent entry, shown while the parent is open. Any area may add entries
 * below any parent.
 */
export interface SubNavigationEntry {
  /** The parent entry's `to`. */
  parent: string;
  to: string;
  text: string;
  order: number;
}

export interface SettingsEntry {
  to: string;
  text: string;
  order: number;
  /** Shown only to users with this right. */
  requiredRight?: Right;
}

export interface PaletteAction {
  id: string;
  /** Key of its label. */
  text: string;
  /** Key of synonyms for the search, separated by spaces. */
  keywords?: string;
  icon?: NavigationEntry['icon'];
  /** Two-key shortcut, such as `c e`. */
  keys?: string;
  to?: string;
  run?: () => void;
}

/** Paths of objects that the palette's search found, by kind. */
export type SearchResultPaths = Partial<Record<FoundKind, (result: SearchResult) => string>>;

export interface AreaRoutes {
  /**
   * Catalogs that the area's screens use besides `platform` and `dashboard`; loaded with the first
   * of these screens. scripts/check-locales.ts verifies the list.
   */
  texts: readonly string[];
  screens: ScreenRoute[];
  navigation?: NavigationEntry[];
  subNavigation?: SubNavigationEntry[];
  /** Entries of the settings navigation. */
  settings?: SettingsEntry[];
  actions?: PaletteAction[];
  searchResultPaths?: SearchResultPaths;
}

export function defineRoutes(routes: AreaRoutes): AreaRoutes {
  return routes;
}
