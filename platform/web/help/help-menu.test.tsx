// @vitest-environment jsdom
// The help menu opens the guide's page about the current screen in another window.
import { fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { HelpEntry } from '../frames/menu-entries.tsx';
import { keysOpen } from '../palette/open.ts';
import { endTestApp, renderComponent, startTestApp } from '../shell/test-app.tsx';

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  keysOpen.set(false);
  vi.restoreAllMocks();
  history.replaceState(null, '', '/');
});

const choose = async (name: string) => {
  fireEvent.click(await screen.findByRole('button', { name: 'Help' }));
  fireEvent.click(await screen.findByRole('menuitem', { name, hidden: true }));
};

it.each([
  ['Guide to this screen', '/subscribers/segments/x', '/guide/segments'],
  ['Guide to this screen', '/', '/guide/'],
  ['User guide', '/subscribers/segments/x', '/guide/'],
  ['API reference', '/', '/docs/v2/'],
])('%s on %s opens %s', async (name, path, page) => {
  const openSpy = vi.spyOn(window, 'open').mockReturnValue(null);
  history.replaceState(null, '', path);
  renderComponent(<HelpEntry />);
  await choose(name);
  expect(openSpy).toHaveBeenCalledExactlyOnceWith(page, '_blank', 'noopener');
});

it('shows the keyboard shortcuts', async () => {
  renderComponent(<HelpEntry />);
  await choose('Keyboard shortcuts');
  expect(keysOpen.get()).toBe(true);
});
