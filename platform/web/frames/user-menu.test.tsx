// @vitest-environment jsdom
// The language menu and `MenuOrSheet`, which the user menu uses, open as menus for a mouse and as
// bottom sheets for touch.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { queryClient } from '../api/queries.ts';
import { endTestApp, renderComponent, startTestApp } from '../shell/test-app.tsx';
import { MenuChoices, MenuEntry, MenuOrSheet } from '../ui/menu-or-sheet.tsx';
import { LanguageMenu } from './language-menu.tsx';

const TOUCH_QUERY = '(hover: none) and (pointer: coarse)';
const pointerQuery = vi.fn<() => string>();
const matches = (query: string) => query === pointerQuery();

beforeAll(() => startTestApp());
beforeEach(() => {
  const realMatchMedia = window.matchMedia;
  vi.stubGlobal('matchMedia', (query: string) =>
    Object.assign(realMatchMedia(query), { matches: matches(query) }),
  );
});
afterEach(() => {
  endTestApp();
  queryClient.clear();
  vi.unstubAllGlobals();
});

it('opens the languages in a sheet for touch, with the current language marked', async () => {
  pointerQuery.mockReturnValue(TOUCH_QUERY);
  renderComponent(<LanguageMenu />);
  const button = await screen.findByRole('button', { name: 'Language' });
  fireEvent.click(button);
  const sheet = await screen.findByRole('dialog', { name: 'Language' });
  expect(screen.queryByRole('menu')).toBeNull();
  const english = screen.getByRole('button', { name: 'English' });
  expect(sheet.contains(english)).toBe(true);
  expect(english.getAttribute('aria-current')).toBe('true');
  expect(screen.getByRole('button', { name: 'Norsk' }).getAttribute('aria-current')).toBe('false');
  // Choosing the current language again only closes the sheet.
  fireEvent.click(english);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('opens the languages in a menu for a mouse', async () => {
  pointerQuery.mockReturnValue('');
  renderComponent(<LanguageMenu />);
  fireEvent.click(await screen.findByRole('button', { name: 'Language' }));
  expect(await screen.findByRole('menu', { hidden: true })).toBeTruthy();
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('runs actions in the sheet and closes the sheet unless an entry keeps it open', () => {
  pointerQuery.mockReturnValue(TOUCH_QUERY);
  const onChange = vi.fn<(isOpen: boolean) => void>();
  const [leave, turn] = [vi.fn<() => void>(), vi.fn<() => void>()];
  const choose = vi.fn<(value: string) => void>();
  renderComponent(
    <MenuOrSheet isOpen onChange={onChange} label="You" target={<button type="button">You</button>}>
      <MenuEntry icon={null} run={turn} staysOpen>
        Dark
      </MenuEntry>
      <MenuEntry icon={null} run={leave}>
        Sign out
      </MenuEntry>
      <MenuChoices
        title="Accounts"
        value="a"
        choices={[
          { value: 'a', label: 'Tea' },
          { value: 'b', label: 'Cake' },
        ]}
        choose={choose}
      />
    </MenuOrSheet>,
  );
  fireEvent.click(screen.getByRole('button', { name: 'Dark' }));
  expect(turn).toHaveBeenCalledTimes(1);
  expect(onChange).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole('button', { name: 'Sign out' }));
  expect(leave).toHaveBeenCalledTimes(1);
  expect(onChange).toHaveBeenCalledWith(false);
  fireEvent.click(screen.getByRole('button', { name: 'Cake' }));
  expect(choose).toHaveBeenCalledWith('b');
});
