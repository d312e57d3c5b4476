// @vitest-environment jsdom
// The gallery at the address of a recipe, as a connected store links to it.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { endTestApp, renderAreas, startTestApp } from '#platform/web/shell/test-app.tsx';
import CreateScreen from './create-screen.tsx';

const session = {
  data: {
    user: { id: 'u', email: 'ada@tea.example', name: 'Ada', surname: null, language: 'eng' },
    account: { id: 'a', title: 'Nordic Tea', timezone: 'Europe/Oslo', country: 'NO' },
  },
};

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

it('the gallery opens at the recipe named in the URL and then opens the new workflow in the builder', async () => {
  const requests: string[] = [];
  vi.stubGlobal('fetch', async (url: string | URL, options?: RequestInit) => {
    const path = new URL(String(url), 'http://localhost').pathname;
    if (options?.method === 'POST') requests.push(path);
    if (path.includes('workflow_recipes')) return Response.json({ data: { id: 'made' } });
    if (path.endsWith('/users')) return Response.json(session);
    return Response.json({ data: [], meta: { total: 0 } });
  });
  const frame = 'open' as const;
  const { router } = renderAreas(
    [
      {
        texts: [],
        screens: [
          {
            path: '/automation/create',
            frame,
            load: async () => ({ default: CreateScreen }),
          },
          {
            path: '/automation/builder/$workflow',
            frame,
            load: async () => ({ default: () => <p>Builder</p> }),
          },
        ],
      },
    ],
    '/automation/create?recipe=cart',
  );
  const dialog = await screen.findByRole('dialog');
  expect(within(dialog).getByRole<HTMLInputElement>('textbox').value).toBe('Abandoned cart');
  fireEvent.submit(within(dialog).getByRole('textbox'));
  await screen.findByText('Builder');
  await waitFor(() => expect(router.state.location.pathname).toBe('/automation/builder/made'));
  expect(requests).toEqual(['/client-api/api/workflow_recipes/cart']);
});
