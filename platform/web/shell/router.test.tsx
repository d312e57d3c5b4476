// @vitest-environment jsdom
// Tests the screens of areas at their addresses: titles, redirects, parameters, unknown paths.
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { int, parseOneOf, useSearchParams } from '../api/address.ts';
import type { AreaRoutes } from './routes.ts';
import { renderAreas, startTestApp } from './test-app.tsx';
import { useParam } from '../hooks/use-param.ts';

const address = { page: int(1), status: parseOneOf(['all', 'DRAFT'], 'all') };

function ItemList() {
  const [values, set] = useSearchParams(address);
  return (
    <>
      <p>
        page {values.page} of {values.status}
      </p>
      <button type="button" onClick={() => set({ page: values.page + 1 })}>
        next
      </button>
    </>
  );
}

function ItemPage() {
  return (
    <>
      <p>thing {useParam('thing')}</p>
      <input aria-label="words" />
    </>
  );
}

const areas: AreaRoutes[] = [
  {
    texts: [],
    screens: [
      {
        path: '/things',
        title: 'platform:keys.title',
        frame: 'open',
        load: async () => ({ default: ItemList }),
      },
      { path: '/things/$thing/view', frame: 'open', load: async () => ({ default: ItemPage }) },
      { path: '/things/$thing', frame: 'open', redirectTo: '/things/$thing/view' },
    ],
  },
];

beforeAll(() => startTestApp());
afterEach(cleanup);

it('opens a screen with its title and typed parameters from the URL', async () => {
  const { router } = renderAreas(areas, '/things?page=3&status=DRAFT&code=x');
  await screen.findByText('page 3 of DRAFT');
  expect(document.title).toBe('Keyboard shortcuts · Sendloom');
  screen.getByText('next').click();
  await screen.findByText('page 4 of DRAFT');
  expect(router.state.location.href).toBe('/things?page=4&status=DRAFT&code=x');
});

it('replaces invalid parameters with their defaults', async () => {
  renderAreas(areas, '/things?page=-1&status=LOST');
  expect(await screen.findByText('page 1 of all')).toBeTruthy();
});

it('redirects with the path filled in and the search parameters kept', async () => {
  const { router } = renderAreas(areas, '/things/a%2Fb?code=1');
  await screen.findByText('thing a/b');
  await waitFor(() => expect(router.state.location.href).toBe('/things/a%2Fb/view?code=1'));
});

it("does not carry state from one object's screen to another's", async () => {
  const { router } = renderAreas(areas, '/things/a/view');
  await screen.findByText('thing a');
  fireEvent.change(screen.getByLabelText('words'), { target: { value: 'of a' } });
  await router.navigate({ to: '/things/a/view', search: { page: 2 } as never });
  expect(screen.getByLabelText('words')).toHaveProperty('value', 'of a');
  await router.navigate({ to: '/things/b/view' });
  await screen.findByText('thing b');
  expect(screen.getByLabelText('words')).toHaveProperty('value', '');
});

it('shows a message for unknown paths', async () => {
  renderAreas(areas, '/no/such/page');
  expect(await screen.findByText('Page not found')).toBeTruthy();
  expect(document.title).toBe('Page not found · Sendloom');
});
