// @vitest-environment jsdom
// A component that failed to load offline is loaded again when the network returns.
import { act, cleanup, render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { lazyWithRetry } from './lazy-with-retry.ts';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const online = (is: boolean) => vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(is);
const failure = () => new TypeError('Failed to fetch dynamically imported module: /x.js');

it('loads by itself once the network returns', async () => {
  online(false);
  const load = vi
    .fn<() => Promise<{ default: () => string }>>()
    .mockRejectedValueOnce(failure())
    .mockResolvedValue({ default: () => 'Here' });
  const Piece = lazyWithRetry(load);
  render(
    <Suspense fallback="Waiting">
      <Piece />
    </Suspense>,
  );
  await act(() => Promise.resolve());
  expect(screen.getByText('Waiting')).toBeTruthy();
  online(true);
  act(() => void window.dispatchEvent(new Event('online')));
  expect(await screen.findByText('Here')).toBeTruthy();
  expect(load).toHaveBeenCalledTimes(2);
});

it('retries after a short failure and reports other errors', async () => {
  online(true);
  const load = vi
    .fn<() => Promise<{ default: () => string }>>()
    .mockRejectedValueOnce(failure())
    .mockResolvedValue({ default: () => 'Here' });
  const Piece = lazyWithRetry(load);
  render(
    <Suspense fallback="Waiting">
      <Piece />
    </Suspense>,
  );
  expect(await screen.findByText('Here')).toBeTruthy();
});
