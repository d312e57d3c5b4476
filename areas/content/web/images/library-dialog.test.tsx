// @vitest-environment jsdom
// The image library: pagination, dropped files, and choosing a file again.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { endTestApp, renderPiece, startTestApp } from '#platform/web/shell/test-app.tsx';
import LibraryDialog from './library-dialog.tsx';

let uploads: number;

beforeAll(() => startTestApp());
beforeEach(() => {
  uploads = 0;
  vi.stubGlobal('fetch', async (_input: string, init?: RequestInit) => {
    if (init?.method === 'POST') {
      uploads++;
      return Response.json({ message: 'Too large' }, { status: 413 });
    }
    const meta = { from: 1, to: 10, page: 1, pageCount: 3, total: 30, perPage: 10 };
    return Response.json({ data: [], meta });
  });
  renderPiece(<LibraryDialog onChoose={() => undefined} close={() => undefined} />);
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

it('has page labels and shows the accepted formats after an invalid drop', async () => {
  expect(await screen.findByRole('button', { name: 'Next page' })).toBeTruthy();
  const hint = /PNG, JPG, GIF or WebP/;
  const before = screen.queryAllByText(hint).length;
  const files = [new File(['%PDF'], 'a.pdf', { type: 'application/pdf' })];
  fireEvent.drop(screen.getByRole('textbox', { name: 'Find an image' }), {
    dataTransfer: { files },
  });
  await waitFor(() => expect(screen.queryAllByText(hint)).toHaveLength(before + 1));
  expect(uploads).toBe(0);
});

it('accepts the same file again after a failure', async () => {
  const input = await screen.findByLabelText('Image file', { selector: 'input' });
  const cleared = vi.fn<(value: string) => void>();
  Object.defineProperty(input, 'value', { configurable: true, get: () => '', set: cleared });
  fireEvent.change(input, { target: { files: [new File(['x'], 'a.png')] } });
  await waitFor(() => expect(uploads).toBe(1));
  expect(cleared).toHaveBeenCalledWith('');
});
