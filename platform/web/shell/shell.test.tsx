// @vitest-environment jsdom
// Tests the shell: navigation from the areas' registrations, titles and focus, palette and
// shortcuts, sign-outs, and messages after failures.
import { notificationsStore } from '@mantine/notifications';
import { IconMail, IconUsers } from '@tabler/icons-react';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../api-error.ts';
import { isNoise, watchErrors } from '../errors/global-errors.tsx';
import { FORCED_RELOAD_SECONDS, isModuleFailure, moduleFailed } from '../errors/new-version.tsx';
import { failure, notice, toast, undoable } from '../errors/notices.tsx';
import { queryClient } from '../api/queries.ts';
import type { AreaRoutes } from './routes.ts';
import { forceSignOut, sessionQuery, signOutReason } from '../session/session.ts';
import { endTestApp, renderAreas, renderComponent, startTestApp } from './test-app.tsx';
import { showLanguage } from '../texts/texts.ts';

const session = {
  user: {
    id: 'u1',
    email: 'owner@example.com',
    name: 'Mari',
    surname: null,
    tour: 0,
    account: 'a1',
    language: 'eng' as const,
  },
  account: { id: 'a1', title: 'Loom', language: 'eng' as const, timezone: 'UTC', country: null },
};

const create = vi.fn<() => void>();
const areas: AreaRoutes[] = [
  {
    texts: [],
    screens: [
      {
        path: '/subscribers',
        title: 'platform:table.pages',
        load: async () => ({ default: () => <h1>People</h1> }),
      },
      { path: '/campaigns', title: 'platform:keys.title', load: campaigns },
    ],
    navigation: [
      { to: '/subscribers', text: 'platform:table.pages', icon: IconUsers, order: 40, keys: 'g s' },
      { to: '/campaigns', text: 'platform:keys.title', icon: IconMail, order: 20 },
    ],
    subNavigation: [
      { parent: '/subscribers', to: '/subscribers/tags', text: 'platform:table.next', order: 1 },
    ],
    actions: [{ id: 'create', text: 'platform:confirm.cancel', run: create }],
    searchResultPaths: { group: () => '/subscribers' },
  },
];

async function campaigns() {
  return { default: () => <h1>Campaigns</h1> };
}

beforeAll(async () => {
  await startTestApp();
  watchErrors();
});
beforeEach(() => {
  queryClient.setQueryData(sessionQuery.queryKey, session);
  // Unexpected requests fail.
  vi.stubGlobal('fetch', () => Promise.reject(new Error('not expected')));
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('navigation', () => {
  it('shows the entries in order, subentries of only the open entry, and no settings link if there are no settings', async () => {
    renderAreas(areas, '/subscribers');
    await screen.findByRole('heading', { name: 'People' });
    const links = screen.getAllByRole('link').map((link) => link.textContent);
    expect(links).toEqual(['Skip to content', 'Keyboard shortcuts', 'Pages', 'Next page']);
    expect(screen.getByRole('link', { name: 'Pages' }).getAttribute('aria-current')).toBe('page');
  });

  it('marks one entry as open for a screen that the settings also list', async () => {
    const [first] = areas as [AreaRoutes];
    const settings = [
      { to: '/settings/account', text: 'platform:confirm.cancel', order: 1 },
      { to: '/campaigns', text: 'platform:keys.title', order: 2 },
    ];
    renderAreas([{ ...first, settings }], '/campaigns');
    await screen.findByRole('heading', { name: 'Campaigns' });
    const currentLinks = document.querySelectorAll('nav a[aria-current]');
    expect([...currentLinks].map(({ textContent }) => textContent)).toEqual(['Keyboard shortcuts']);
  });

  it('titles the page, announces it and moves the focus there', async () => {
    renderAreas(areas, '/subscribers');
    fireEvent.click(await screen.findByRole('link', { name: 'Keyboard shortcuts' }));
    await screen.findByRole('heading', { name: 'Campaigns' });
    await waitFor(() => expect(document.activeElement?.id).toBe('main'));
    expect(document.title).toBe('Keyboard shortcuts · Sendloom');
    const announcements = screen.getAllByRole('status').map((status) => status.textContent);
    expect(announcements).toContain('Keyboard shortcuts');
  });

  it('keeps the focus in a field that the new screen focuses', async () => {
    const form = {
      path: '/form',
      title: 'platform:table.next',
      load: async () => ({ default: () => <input aria-label="Name" autoFocus /> }),
    };
    const [first] = areas as [AreaRoutes];
    const withForm = [{ ...first, screens: [...first.screens, form] }];
    const { router } = renderAreas(withForm, '/subscribers');
    await screen.findByRole('heading', { name: 'People' });
    await router.navigate({ to: '/form' });
    const field = await screen.findByRole('textbox', { name: 'Name' });
    await waitFor(() => {
      const announcements = screen.getAllByRole('status').map((status) => status.textContent);
      expect(announcements).toContain('Next page');
    });
    expect(document.activeElement).toBe(field);
  });

  it('ignores shortcuts while the user types', async () => {
    const { router } = renderAreas(areas, '/campaigns');
    await screen.findByRole('heading', { name: 'Campaigns' });
    const field = document.body.appendChild(document.createElement('input'));
    for (const key of ['g', 's']) fireEvent.keyDown(field, { key });
    fireEvent.keyDown(document.body, { key: '?' });
    await screen.findByRole('table', { name: 'Keyboard shortcuts' });
    expect(router.state.location.pathname).toBe('/campaigns');
    field.remove();
  });

  it('navigates by two keys', async () => {
    const { router } = renderAreas(areas, '/campaigns');
    await screen.findByRole('heading', { name: 'Campaigns' });
    fireEvent.keyDown(document.body, { key: 'g' });
    fireEvent.keyDown(document.body, { key: 's' });
    await waitFor(() => expect(router.state.location.pathname).toBe('/subscribers'));
  });

  it('recognizes shortcuts on a keyboard with another script', async () => {
    const { router } = renderAreas(areas, '/campaigns');
    await screen.findByRole('heading', { name: 'Campaigns' });
    fireEvent.keyDown(document.body, { key: 'ل', code: 'KeyG' });
    fireEvent.keyDown(document.body, { key: 'س', code: 'KeyS' });
    await waitFor(() => expect(router.state.location.pathname).toBe('/subscribers'));
    fireEvent.keyDown(document.body, { key: 'ن', code: 'KeyK', ctrlKey: true });
    expect(await screen.findByRole('combobox', { name: 'Search and commands' })).toBeTruthy();
  });
});

describe('the language', () => {
  it("changes the page's direction and keeps unsaved input", async () => {
    renderComponent(<input aria-label="words" />);
    const field = screen.getByRole('textbox');
    fireEvent.change(field, { target: { value: 'half a word' } });
    await act(async () => showLanguage('fas'));
    expect(document.documentElement.dir).toBe('rtl');
    expect(screen.getByRole('textbox')).toBe(field);
    await act(async () => showLanguage('eng'));
    expect(document.documentElement.dir).toBe('ltr');
    expect(screen.getByRole('textbox')).toBe(field);
    expect(field).toHaveProperty('value', 'half a word');
  });
});

describe('the palette', () => {
  it('finds entries, actions and objects and runs the chosen one on Enter', async () => {
    const { router } = renderAreas(areas, '/campaigns');
    await screen.findByRole('heading', { name: 'Campaigns' });
    fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
    const field = await screen.findByRole('combobox', { name: 'Search and commands' });
    fireEvent.change(field, { target: { value: 'CANC' } });
    const options = screen.getAllByRole('option').map(({ textContent }) => textContent);
    expect(options).toEqual(['Cancel', 'Show all subscribers that match “CANC”']);
    fireEvent.keyDown(field, { key: 'Enter' });
    expect(create).toHaveBeenCalledTimes(1);

    const group = {
      kind: 'group',
      id: 'g1',
      title: 'Group friends',
      detail: null,
      parameter: null,
    };
    vi.stubGlobal('fetch', async () => Response.json({ data: [group] }));
    fireEvent.keyDown(document.body, { key: 'k', metaKey: true });
    const combobox = await screen.findByRole<HTMLInputElement>('combobox');
    await waitFor(() => expect(screen.getByRole<HTMLInputElement>('combobox').value).toBe(''));
    fireEvent.change(screen.getByRole('combobox'), { target: { value: 'friends' } });
    await screen.findByText('Group friends');
    fireEvent.keyDown(combobox.isConnected ? combobox : screen.getByRole('combobox'), {
      key: 'Enter',
    });
    await waitFor(() => expect(router.state.location.pathname).toBe('/subscribers'));
  });

  it('lists the shortcuts on ?', async () => {
    renderAreas(areas, '/campaigns');
    await screen.findByRole('heading', { name: 'Campaigns' });
    fireEvent.keyDown(document.body, { key: '?' });
    const table = await screen.findByRole('table', { name: 'Keyboard shortcuts' });
    expect(table.textContent).toContain('gs');
    const builder = screen.getByRole('table', { name: 'In the workflow builder' });
    expect(builder.textContent).toContain('Remove the stepDelete');
  });
});

describe('notices', () => {
  it.each([
    ['toast', () => toast('Done'), 5000],
    ['notice', () => notice('Done'), 10_000],
    ['failure', () => failure('Done'), 5000],
    ['verification sent', () => toast('Done', { duration: 2500 }), 2500],
  ])('%s disappears after its duration', (_, show, milliseconds) => {
    show();
    const { notifications, queue } = notificationsStore.getState();
    expect([...notifications, ...queue].at(-1)?.autoClose).toBe(milliseconds);
  });

  it('Undo in a notice reverts the action', async () => {
    renderComponent(null);
    const undo = vi.fn<() => void>();
    act(() => void undoable('Deleted', undo));
    fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
    expect(undo).toHaveBeenCalledTimes(1);
  });

  it('notices of failures are hidden while offline', async () => {
    renderComponent(null);
    const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    expect(failure('Lost')).toBe('');
    online.mockRestore();
    act(() => void toast('Back'));
    await screen.findByText('Back');
    expect(screen.queryByText('Lost')).toBeNull();
  });
});

describe('uncaught errors', () => {
  it('an uncaught error shows a message once', async () => {
    renderComponent(null);
    act(() => {
      window.dispatchEvent(new ErrorEvent('error', { error: new Error('Boom') }));
      window.dispatchEvent(new ErrorEvent('error', { error: new Error('Boom') }));
    });
    expect(await screen.findAllByText('Boom')).toHaveLength(1);
    expect(screen.getByText('An error has occurred')).toBeTruthy();
    expect(screen.getByText('Please try again later')).toBeTruthy();
    expect(screen.getByText('If the error persists, please contact support.')).toBeTruthy();
  });

  it('ResizeObserver errors and failed calls, which show their own message, show nothing further', async () => {
    renderComponent(null);
    const details = {
      status: 500,
      code: 'x',
      message: 'From a call',
      errors: {},
      showsServerMessage: false,
    };
    act(() => {
      const message = 'ResizeObserver loop completed with undelivered notifications.';
      window.dispatchEvent(new ErrorEvent('error', { message }));
      const rejection = Object.assign(new Event('unhandledrejection'), {
        reason: new ApiError(details),
      });
      window.dispatchEvent(rejection);
      toast('After');
    });
    await screen.findByText('After');
    expect(screen.queryByText('An error has occurred')).toBeNull();
    expect(isNoise('ResizeObserver loop limit exceeded')).toBe(true);
  });

  it.each([
    ['Failed to fetch dynamically imported module: https://x/a.js', true],
    ['error loading dynamically imported module', true],
    ['Importing a module script failed.', true],
    ['Failed to fetch', false],
  ])('an error with the message “%s” means that a module failed to load: %s', (message, is) => {
    expect(isModuleFailure(new TypeError(message))).toBe(is);
  });

  it('an error caused by a new version starts a countdown to a forced reload', async () => {
    renderComponent(null);
    act(() => moduleFailed());
    const message = `The app has been updated. Will reload in ${FORCED_RELOAD_SECONDS} second(s)`;
    expect((await screen.findAllByText(message)).length).toBeGreaterThan(0);
    expect(screen.getByRole('button', { name: 'Reload' })).toBeTruthy();
    expect(FORCED_RELOAD_SECONDS).toBe(15);
  });
});

describe('a forced sign-out', () => {
  it.each([
    ['offline', '/campaigns', false],
    ['with a code parameter', '/campaigns?code=abc', true],
    ['at sign-in', '/auth', true],
  ])('a forced sign-out does not happen %s', (_, path, isOnline) => {
    const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(isOnline);
    history.replaceState(null, '', path);
    expect(forceSignOut('unauthorized')).toBe(false);
    expect(signOutReason()).toBeUndefined();
    online.mockRestore();
    history.replaceState(null, '', '/');
  });
});
