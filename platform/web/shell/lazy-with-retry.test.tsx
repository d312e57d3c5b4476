// @vitest-environment jsdom
// A component that failed to load is loaded again after a short failure or when the network
// returns.
import { act, cleanup, render, screen } from '@testing-library/react';
import { Component, type ReactNode, Suspense } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { lazyWithRetry } from './lazy-with-retry.ts';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const online = (is: boolean) => vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(is);
const failure = () => new TypeError('Failed to fetch dynamically imported module: /x.js');

class ErrorBoundary extends Component<{ children: ReactNode }, { message?: string }> {
  override state: { message?: string } = {};
  static getDerivedStateFromError({ message }: Error) {
    return { message };
  }
  override render() {
    return this.state.message ?? this.props.children;
  }
}

it('loads automatically once the network returns', async () => {
  online(false);
  const load = vi
    .fn<() => Promise<{ default: () => string }>>()
    .mockRejectedValueOnce(failure())
    .mockResolvedValue({ default: () => 'Here' });
  const LazyPiece = lazyWithRetry(load);
  render(
    <Suspense fallback="Waiting">
      <LazyPiece />
    </Suspense>,
  );
  await act(() => Promise.resolve());
  expect(screen.getByText('Waiting')).toBeTruthy();
  online(true);
  act(() => void window.dispatchEvent(new Event('online')));
  expect(await screen.findByText('Here')).toBeTruthy();
  expect(load).toHaveBeenCalledTimes(2);
});

it('retries after a short failure', async () => {
  online(true);
  const load = vi
    .fn<() => Promise<{ default: () => string }>>()
    .mockRejectedValueOnce(failure())
    .mockResolvedValue({ default: () => 'Here' });
  const LazyPiece = lazyWithRetry(load);
  render(
    <Suspense fallback="Waiting">
      <LazyPiece />
    </Suspense>,
  );
  expect(await screen.findByText('Here')).toBeTruthy();
});

it('errors other than failed downloads are not retried', async () => {
  online(true);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const load = vi
    .fn<() => Promise<{ default: () => string }>>()
    .mockRejectedValue(new Error('Broken module'));
  const LazyPiece = lazyWithRetry(load);
  render(
    <ErrorBoundary>
      <Suspense fallback="Waiting">
        <LazyPiece />
      </Suspense>
    </ErrorBoundary>,
  );
  expect(await screen.findByText('Broken module')).toBeTruthy();
  expect(load).toHaveBeenCalledTimes(1);
});
