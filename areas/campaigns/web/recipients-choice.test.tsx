// @vitest-environment jsdom
// The recipients form shows the selection that is stored: one that fails to save is reverted, and
// the next step waits until the selection is saved.
import { configure, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { endTestApp, renderAreas, startTestApp } from '#platform/web/shell/test-app.tsx';
import { routes } from './routes.tsx';
import { BASE, draft, session } from './sample-campaign.ts';

const group = (id: string, title: string) => ({ id, title, active_subscribers: 5 });
const DRAFT = { ...draft, last_action: 'step3', send_to_all: false };
const responses: Record<string, unknown> = {
  'GET /client-api/api/users': session.data,
  [`GET ${BASE}/subscribers`]: { count: 5, total: 5, excluded: [] },
  'GET /client-api/api/tags': [group('g1', 'Drinkers'), group('g2', 'Buyers')],
  'GET /client-api/api/filters': [],
};
/** The saved bodies, each with the end of its path. */
let savedCalls: [string, unknown][];
/** The ends of the paths whose calls fail. */
let failing: string[];
/** The campaign as another tab saved it: only its revision is accepted. */
let elsewhere: { revision: number; resend_of?: string } | undefined;

configure({ asyncUtilTimeout: 8000 });
beforeAll(() => startTestApp());
beforeEach(() => {
  savedCalls = [];
  failing = [];
  elsewhere = undefined;
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const url = new URL(String(input instanceof Request ? input.url : input), 'http://localhost');
    const name = `${init?.method ?? 'GET'} ${url.pathname}`;
    if (name.startsWith('POST')) {
      const endpoint = url.pathname.slice(BASE.length + 1);
      if (failing.includes(endpoint)) return new Response('{}', { status: 500 });
      const body = JSON.parse(String(init?.body));
      if (elsewhere && body.revision !== elsewhere.revision)
        return new Response(JSON.stringify({ code: 'stale_revision' }), { status: 409 });
      if (elsewhere) elsewhere.revision++;
      savedCalls.push([endpoint, body]);
    }
    if (name === 'POST /client-api/api/tags')
      return new Response(JSON.stringify({ data: group('g3', 'Nauji pirkėjai') }));
    const data = name === `GET ${BASE}` ? { ...DRAFT, ...elsewhere } : responses[name];
    return new Response(JSON.stringify({ data: data ?? [] }), { status: 200 });
  });
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

/** Opens both lists. */
async function openLists(): Promise<void> {
  await screen.findByRole('checkbox', { name: /Drinkers/ });
  fireEvent.click(screen.getByRole('button', { name: /Exclude/ }));
}

/** Finds a checkbox in one of the two lists, even if the list is collapsed. */
const box = (list: string, name: string) =>
  screen
    .getAllByRole<HTMLInputElement>('checkbox', { name: new RegExp(name), hidden: true })
    .find((checkbox) =>
      checkbox.closest('[aria-label]')?.getAttribute('aria-label')?.startsWith(list),
    ) ?? expect.fail(`No ${name} below ${list}`);

it('a selection that fails to save is reverted, and the next step waits for the save', async () => {
  const { router } = renderAreas([routes], '/campaigns/abc123/subscribers');
  await openLists();
  const drinkers = () => box('Send to', 'Drinkers');
  const buyers = () => box('Exclude', 'Buyers');
  fireEvent.click(drinkers());
  await waitFor(() => {
    expect(savedCalls).toEqual([
      ['tags/set', { tags_arr: ['g1'], send_to_all: false, revision: 3 }],
    ]);
  });
  failing = ['exclude_tags/set'];
  fireEvent.click(buyers());
  expect(buyers().checked).toBe(true);
  const next = screen.getByRole('button', { name: 'Continue' });
  fireEvent.click(next);
  await waitFor(() => expect(buyers().checked).toBe(false));
  expect(drinkers().checked).toBe(true);
  expect(router.state.location.pathname).toBe('/campaigns/abc123/subscribers');
  failing = [];
  fireEvent.click(buyers());
  fireEvent.click(next);
  await waitFor(() => expect(router.state.location.pathname).toBe('/campaigns/abc123/confirm'));
  expect(savedCalls.at(-1)).toEqual(['exclude_tags/set', { tags_arr: ['g2'], revision: 4 }]);
});

it('if another tab changed the selection, that selection is shown, and changes to the earlier one are not saved', async () => {
  const { router } = renderAreas([routes], '/campaigns/abc123/subscribers');
  await openLists();
  const drinkers = () => box('Send to', 'Drinkers');
  const buyers = () => box('Send to', 'Buyers');
  elsewhere = { revision: 7, tags: [{ id: 'g2', title: 'Buyers' }] } as typeof elsewhere;
  fireEvent.click(drinkers());
  fireEvent.click(box('Exclude', 'Drinkers'));
  fireEvent.click(screen.getByRole('button', { name: 'Continue' }));
  expect(await screen.findByText(/Someone else changed the recipients/)).toBeTruthy();
  await waitFor(() => expect([drinkers().checked, buyers().checked]).toEqual([false, true]));
  await waitFor(() => expect(box('Exclude', 'Drinkers').checked).toBe(false));
  expect(savedCalls).toEqual([]);
  expect(router.state.location.pathname).toBe('/campaigns/abc123/subscribers');
  // The next change is based on the displayed selection.
  fireEvent.click(drinkers());
  await waitFor(() => {
    const body = { tags_arr: ['g2', 'g1'], send_to_all: false, revision: 7 };
    expect(savedCalls).toEqual([['tags/set', body]]);
  });
});

it('changes to other settings in another tab do not block a selection', async () => {
  renderAreas([routes], '/campaigns/abc123/subscribers');
  await openLists();
  elsewhere = { revision: 9 };
  fireEvent.click(box('Send to', 'Drinkers'));
  await waitFor(() => {
    expect(savedCalls).toEqual([
      ['tags/set', { tags_arr: ['g1'], send_to_all: false, revision: 9 }],
    ]);
  });
  fireEvent.click(box('Exclude', 'Buyers'));
  await waitFor(() => {
    expect(savedCalls.at(-1)).toEqual(['exclude_tags/set', { tags_arr: ['g2'], revision: 10 }]);
  });
});

it('the recipients of a resend cannot be chosen, while exclusions can', async () => {
  elsewhere = { revision: 3, resend_of: 'first1' };
  renderAreas([routes], '/campaigns/abc123/subscribers');
  expect(await screen.findByText(/received the original campaign and didn't open it/)).toBeTruthy();
  expect(screen.queryByRole('switch')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Exclude groups or segments' }));
  await screen.findByRole('checkbox', { name: /Buyers/, hidden: true });
  fireEvent.click(box('Exclude', 'Buyers'));
  await waitFor(() =>
    expect(savedCalls).toEqual([['exclude_tags/set', { tags_arr: ['g2'], revision: 3 }]]),
  );
  const next = screen.getByRole<HTMLButtonElement>('button', { name: 'Continue' });
  expect(next.disabled).toBe(false);
});

it('a group created among the recipients is selected immediately', async () => {
  renderAreas([routes], '/campaigns/abc123/subscribers');
  await openLists();
  fireEvent.click(screen.getAllByRole('button', { name: 'Create a group' })[0] as HTMLElement);
  const title = await screen.findByLabelText('Group title');
  fireEvent.change(title, { target: { value: 'Nauji pirkėjai' } });
  fireEvent.submit(title.closest('form') as HTMLFormElement);
  await waitFor(() => expect(JSON.stringify(savedCalls)).toContain('"g3"'));
});
