// The router built from the areas' registrations: frames, lazy screens, titles, redirects.
import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouterHistory,
  redirect,
} from '@tanstack/react-router';
import { parseSearch, stringifySearch } from '../api/address.ts';
import { AppFrame, BareFrame } from '../frames/app-frame.tsx';
import { OpenFrame } from '../frames/open-frame.tsx';
import { Root } from '../frames/root.tsx';
import { isModuleFailure, ModuleFailed, moduleFailed } from '../errors/new-version.tsx';
import type { AreaRoutes, Frame, ScreenRoute } from './routes.ts';
import { requireUser } from '../session/session.ts';
import { areaTexts } from '../texts/texts.ts';
import { PageFailed } from '../ui/page-failed.tsx';
import { ScreenSkeleton } from '../ui/screen-skeleton.tsx';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Key of the page's title. */
    title?: string;
    frame?: Frame;
  }
}

const NotFoundScreen = lazyRouteComponent(() => import('../ui/not-found-screen.tsx'));

export function buildRouter(areas: readonly AreaRoutes[], history?: RouterHistory) {
  const root = createRootRoute({ component: Root, notFoundComponent: NotFoundScreen });
  const frames = {
    app: createRoute({
      getParentRoute: () => root,
      id: 'app',
      component: AppFrame,
      loader: userFirst,
    }),
    bare: createRoute({
      getParentRoute: () => root,
      id: 'bare',
      component: BareFrame,
      loader: userFirst,
    }),
    guest: createRoute({
      getParentRoute: () => root,
      id: 'guest',
      component: lazyRouteComponent(() => import('../frames/guest-frame.tsx'), 'GuestFrame'),
    }),
    open: createRoute({ getParentRoute: () => root, id: 'open', component: OpenFrame }),
  };
  const screens: Record<Frame, AnyRoute[]> = { app: [], bare: [], guest: [], open: [] };
  for (const area of areas) {
    for (const screen of area.screens) {
      const frame = screen.frame ?? 'app';
      screens[frame].push(routeOf(frames[frame], screen, frame, area.texts));
    }
  }
  const tree = root.addChildren([
    notFoundRoute(root),
    ...(Object.keys(frames) as Frame[]).map((name) => frames[name].addChildren(screens[name])),
  ]);
  return createRouter({
    routeTree: tree,
    history,
    parseSearch,
    stringifySearch,
    trailingSlash: 'preserve',
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    // Another id is another object: input and data of one must not appear in the other's screen.
    defaultRemountDeps: ({ params }) => params,
    defaultPendingMs: 200,
    defaultPendingMinMs: 0,
    defaultPendingComponent: ScreenSkeleton,
    defaultErrorComponent: PageFailed,
    defaultNotFoundComponent: NotFoundScreen,
  });
}

/** Fetches the user on navigation, but not for a preload on hover. */
async function userFirst({ preload }: { preload: boolean }): Promise<void> {
  if (!preload) await requireUser();
}

export type AppRouter = ReturnType<typeof buildRouter>;

function routeOf(
  parent: AnyRoute,
  screen: ScreenRoute,
  frame: Frame,
  texts: readonly string[],
): AnyRoute {
  const path = screen.path;
  const { load, redirectTo } = screen;
  const route: AnyRoute = createRoute({
    getParentRoute: () => parent,
    path,
    staticData: { title: screen.title, frame },
    component: load && lazyRouteComponent(guardLoad(withTexts(load, texts))),
    beforeLoad: redirectTo
      ? ({ params, search }) => {
          throw redirect({ to: fillPath(redirectTo, params), search, replace: true });
        }
      : undefined,
  });
  const children = screen.children?.map((child) => routeOf(route, child, frame, texts));
  return children ? route.addChildren(children) : route;
}

const withTexts =
  (load: NonNullable<ScreenRoute['load']>, texts: readonly string[]) => async () => {
    const [screen] = await Promise.all([load(), areaTexts(texts)]);
    return screen;
  };

/**
 * If the code of a screen cannot be loaded, shows a message in place of the screen and reloads the
 * app after a countdown.
 */
function guardLoad(load: NonNullable<ScreenRoute['load']>) {
  return async () => {
    try {
      return await load();
    } catch (error) {
      if (!isModuleFailure(error)) throw error;
      moduleFailed();
      return { default: ModuleFailed };
    }
  };
}

function notFoundRoute(parent: AnyRoute): AnyRoute {
  return createRoute({
    getParentRoute: () => parent,
    path: '/404',
    component: NotFoundScreen,
    staticData: { title: 'platform:notFound.title' },
  });
}

function fillPath(template: string, params: Record<string, string>): string {
  return template.replace(/\$(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
