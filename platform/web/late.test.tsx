// @vitest-environment jsdom
// A piece that could not be fetched without a network is fetched again when it is back.
import { act, cleanup, render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { late } from './late.ts';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const online = (is: boolean) => vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(is);
const failure = () => new TypeError('Failed to fetch dynamically imported module: /x.js');

it('comes by itself once the network is back', async () => {
  online(false);
  const load = vi
    .fn<() => Promise<{ default: () => string }>>()
    .mockRejectedValueOnce(failure())
    .mockResolvedValue({ default: () => 'Here' });
  const Piece = late(load);
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

it('is tried again after a hiccup, and other errors are told', async () => {
  online(true);
  const load = vi
    .fn<() => Promise<{ default: () => string }>>()
    .mockRejectedValueOnce(failure())
    .mockResolvedValue({ default: () => 'Here' });
  const Piece = late(load);
  render(
    <Suspense fallback="Waiting">
      <Piece />
    </Suspense>,
  );
  expect(await screen.findByText('Here')).toBeTruthy();
});
