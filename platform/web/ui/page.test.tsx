// @vitest-environment jsdom
// Exactly one tab is open, and it is scrolled into view if the tabs are wider than the window.
import { screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { endTestApp, renderScreen, startTestApp } from '../shell/test-app.tsx';
import { Page } from './page.tsx';

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  vi.restoreAllMocks();
});

it.each([
  ['past the end of the bar', 'one', 340, 90],
  ['before the beginning of the bar', 'two', -50, -50],
])('scrolls an open tab %s into view', async (_, open, at, moved) => {
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    const [left, width] = this.tagName === 'NAV' ? [0, 350] : [at, 100];
    return { left, right: left + width } as DOMRect;
  });
  const tabs = ['one', 'two'].map((name) => ({ to: `/tabs/${name}`, label: name }));
  const Screen = () => (
    <Page title="Tabs" tabs={tabs}>
      {null}
    </Page>
  );
  renderScreen(Screen, { at: `/tabs/${open}` });
  expect((await screen.findByRole('navigation')).scrollLeft).toBe(moved);
});

it("only one tab is open even if its URL begins with another tab's URL", async () => {
  const tabs = ['/tabs', '/tabs/two'].map((to) => ({ to, label: to }));
  const Screen = () => (
    <Page title="Tabs" tabs={tabs}>
      {null}
    </Page>
  );
  renderScreen(Screen, { at: '/tabs/two/of-it' });
  const links = await screen.findAllByRole('link');
  expect(links.filter((link) => link.dataset.open).map((link) => link.textContent)).toEqual([
    '/tabs/two',
  ]);
});
