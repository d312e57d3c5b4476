// @vitest-environment jsdom
// Activating a form outside the builder warns about a promised code that does not exist.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { endTestApp, renderAreas, startTestApp } from '#platform/web/shell/test-app.tsx';
import { useActivation } from './activation.ts';

const ink = { colour: '#000000', heading: '#000000', fieldColour: '#000000', buttonColour: '#000' };
const ground = { background: '#ffffff', fieldBackground: '#ffffff', button: '#ffffff' };
const form = (code: string) => ({
  id: 'f1',
  title: 'Welcome',
  type: 'popup',
  document: {
    styles: { ...ink, ...ground },
    teaser: '',
    steps: [{ blocks: [{ id: 'h', kind: 'heading', text: 'Get 10% off' }] }],
    success: [{ id: 'c', kind: 'code' }],
  },
  settings: { id: 's', coupon: { source: 'fixed', prize: '', code, pool_id: '' } },
  groups: [],
  mandatory_tags: [],
});
const session = {
  user: { id: 'u', email: 'ada@tea.example', name: 'Ada', surname: null, language: 'eng' },
  account: { id: 'a', title: 'Nordic Tea', timezone: 'Europe/Oslo', country: 'NO' },
};

let savedBodies: unknown[];
let code: string;

function ActivationButton() {
  const activation = useActivation({ id: 'f1', title: 'Welcome' });
  return (
    <button type="button" onClick={() => activation.mutate(1)}>
      Turn on
    </button>
  );
}

const screens = [
  { path: '/forms', frame: 'open' as const, load: async () => ({ default: ActivationButton }) },
  {
    path: '/forms/builder/$form',
    frame: 'open' as const,
    load: async () => ({ default: () => <p>Builder</p> }),
  },
];

beforeAll(() => startTestApp());
beforeEach(() => {
  savedBodies = [];
  code = '';
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const { pathname } = new URL(
      String(input instanceof Request ? input.url : input),
      'http://localhost',
    );
    if (init?.method === 'PATCH') savedBodies.push(JSON.parse(String(init.body)));
    const data = pathname.endsWith('/users') ? session : form(code);
    return new Response(JSON.stringify({ data }));
  });
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

async function turnOn() {
  const { router } = renderAreas([{ texts: ['forms', 'forms-builder'], screens }], '/forms');
  fireEvent.click(await screen.findByRole('button', { name: 'Turn on' }));
  return router;
}

it('the warning links to the missing code in the builder, and the form is not activated', async () => {
  const router = await turnOn();
  await screen.findByText('“Prize or code” has no code yet: people would get nothing.');
  fireEvent.click(screen.getByRole('button', { name: 'Set the code' }));
  await screen.findByText('Builder');
  expect(router.state.location.search).toEqual({ fix: 'code' });
  expect(savedBodies).toEqual([]);
});

it('the form is activated if the user confirms the warning', async () => {
  await turnOn();
  fireEvent.click(await screen.findByRole('button', { name: 'Publish anyway' }));
  await waitFor(() => expect(savedBodies).toEqual([{ is_active: 1 }]));
});

it('a form with an existing code is activated without a warning', async () => {
  code = 'TEA10';
  await turnOn();
  await waitFor(() => expect(savedBodies).toEqual([{ is_active: 1 }]));
  expect(screen.queryByRole('button', { name: 'Publish anyway' })).toBeNull();
});
