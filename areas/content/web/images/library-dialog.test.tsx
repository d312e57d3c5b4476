// @vitest-environment jsdom
// The image library: pagination, dropped files, choosing a file again, and stock images.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { endTestApp, renderComponent, startTestApp } from '#platform/web/shell/test-app.tsx';
import LibraryDialog from './library-dialog.tsx';

let uploads: number;
let sources: object[] = [];
const STOCK_RESULTS = {
  images: [
    {
      ...{ id: '1', title: 'A cup', preview_url: 'https://p.example/1.jpg', width: 6, height: 4 },
      ...{ author: 'Kari', author_url: '' },
    },
  ],
  has_more: false,
};

beforeAll(() => startTestApp());
beforeEach(() => {
  uploads = 0;
  sources = [];
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    if (String(input).includes('/stock_sources')) return Response.json({ data: sources });
    if (String(input).includes('/stock_images')) return Response.json({ data: STOCK_RESULTS });
    if (init?.method === 'POST') {
      uploads++;
      return Response.json({ message: 'Too large' }, { status: 413 });
    }
    const meta = { from: 1, to: 10, page: 1, pageCount: 3, total: 30, perPage: 10 };
    return Response.json({ data: [], meta });
  });
});
const openDialog = () =>
  renderComponent(<LibraryDialog onChoose={() => undefined} close={() => undefined} />);
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

it('labels its page buttons and names the accepted formats after an invalid drop', async () => {
  openDialog();
  expect(await screen.findByRole('button', { name: 'Next page' })).toBeTruthy();
  const hint = /PNG, JPG, GIF or WebP/;
  const hintCount = screen.queryAllByText(hint).length;
  const files = [new File(['%PDF'], 'a.pdf', { type: 'application/pdf' })];
  fireEvent.drop(screen.getByRole('textbox', { name: 'Find an image' }), {
    dataTransfer: { files },
  });
  await waitFor(() => expect(screen.queryAllByText(hint)).toHaveLength(hintCount + 1));
  expect(uploads).toBe(0);
});

it('accepts the same file again after a failure', async () => {
  openDialog();
  const input = await screen.findByLabelText('Image file', { selector: 'input' });
  const onClear = vi.fn<(value: string) => void>();
  Object.defineProperty(input, 'value', { configurable: true, get: () => '', set: onClear });
  fireEvent.change(input, { target: { files: [new File(['x'], 'a.png')] } });
  await waitFor(() => expect(uploads).toBe(1));
  expect(onClear).toHaveBeenCalledWith('');
});

it('does not offer a stock image search if no source is configured', async () => {
  openDialog();
  expect(await screen.findByRole('button', { name: 'Next page' })).toBeTruthy();
  expect(screen.queryByRole('radiogroup', { name: 'Sources of images' })).toBeNull();
});

it('finds stock images at a configured source', async () => {
  sources = [{ source: 'photos', name: 'Pexels', website: 'https://www.pexels.com/' }];
  openDialog();
  fireEvent.click(await screen.findByRole('radio', { name: 'Pexels' }));
  const search = await screen.findByRole('textbox', { name: 'Search Pexels' });
  fireEvent.change(search, { target: { value: 'cup' } });
  const result = await screen.findByRole('button', { name: /Kari/ }, { timeout: 10_000 });
  expect(result.querySelector('img')?.alt).toBe('A cup');
});
