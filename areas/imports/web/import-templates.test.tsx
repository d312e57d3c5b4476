// @vitest-environment jsdom
// Templates imported from another service: the screen shows the result and missing images of each,
// and a saved one can be removed again.
import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import SwitchScreen from './switch-screen.tsx';

const fetchMock = vi.fn<typeof fetch>();
/** HTTP status of the next removals. */
let removalStatus = 200;

beforeAll(() => startTestApp());
beforeEach(() => {
  removalStatus = 200;
  fetchMock.mockReset();
  fetchMock.mockImplementation(async (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    if (init?.method === 'DELETE')
      return Response.json({ success: true }, { status: removalStatus });
    if (url.includes('/html_file')) {
      const file = init?.body instanceof FormData ? init.body.get('file') : null;
      if (file instanceof File && file.name === 'notes.pdf')
        return Response.json({ code: 'no_html_found', message: 'No HTML in it.' }, { status: 422 });
      return Response.json({
        data: {
          id: 't1',
          title: 'Welcome',
          modified: '2026-01-01T00:00:00.000Z',
          thumbnail_url: '/client-api/api/saved_templates/t1/html?v=1',
          missing: ['logo.png', 'hero.jpg'],
        },
      });
    }
    const user = { data: { user: { id: 'u', language: 'eng' }, account: { id: 'a' } } };
    return Response.json(url.endsWith('/api/users') ? user : { data: [] });
  });
  vi.stubGlobal('fetch', fetchMock);
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

async function choose(names: string[]): Promise<HTMLElement> {
  renderScreen(SwitchScreen, { at: '/subscribers/import/switch' });
  const input = await screen.findByLabelText('Choose templates', { selector: 'input' });
  fireEvent.change(input, { target: { files: names.map((name) => new File(['<p>'], name)) } });
  return screen.findByRole('list', { name: 'Results' });
}

it('the screen reports the result of each template, with a preview of a saved one', async () => {
  const list = await choose(['welcome.zip', 'notes.pdf']);
  await within(list).findByText(/No HTML in it/);
  const [imported, refused] = within(list).getAllByRole('listitem') as [HTMLElement, HTMLElement];
  expect(imported.textContent).toContain('Welcome: Saved');
  expect(imported.textContent).toContain('2 images were not in the file: logo.png and hero.jpg');
  const previewLink = within(imported).getByRole('link', { name: 'Preview Welcome' });
  expect(previewLink.getAttribute('href')).toBe('/client-api/api/saved_templates/t1/html?v=1');
  expect(refused.textContent).toContain('notes.pdf');
  expect(within(refused).queryByRole('button')).toBeNull();
});

it('a saved template can be removed, even after a failed removal', async () => {
  const list = await choose(['welcome.zip']);
  removalStatus = 500;
  fireEvent.click(await within(list).findByRole('button', { name: 'Undo Welcome' }));
  await vi.waitFor(() =>
    expect(fetchMock.mock.calls.filter(([, init]) => init?.method === 'DELETE')).toHaveLength(1),
  );
  expect(within(list).queryByText(/Removed again/)).toBeNull();
  removalStatus = 200;
  const undoButton = await within(list).findByRole('button', { name: 'Undo Welcome' });
  await vi.waitFor(() => expect(undoButton).toHaveProperty('disabled', false));
  fireEvent.click(undoButton);
  expect(await within(list).findByText(/Removed again/)).toBeTruthy();
  expect(within(list).queryByRole('link', { name: 'Preview Welcome' })).toBeNull();
  const deleteCalls = fetchMock.mock.calls.filter(([, init]) => init?.method === 'DELETE');
  expect(String(deleteCalls.at(-1)?.[0])).toContain('/saved_templates/t1');
});
