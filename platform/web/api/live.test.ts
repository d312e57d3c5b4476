// @vitest-environment jsdom
// Listeners receive hints for their topics and subtopics over one stream, and poll if there is no
// stream.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { listen } from './live.ts';

class FakeSource {
  static OPEN = 1;
  static CLOSED = 2;
  static all: FakeSource[] = [];
  readyState = 0;
  onopen?: () => void;
  onmessage?: (event: { data: string }) => void;
  onerror?: () => void;

  constructor() {
    FakeSource.all.push(this);
  }
  open(): void {
    this.readyState = 1;
    this.onopen?.();
  }
  refuse(): void {
    this.readyState = 2;
    this.onerror?.();
  }
  close(): void {
    this.readyState = 2;
  }
}

class FakeChannel {
  onmessage?: (event: MessageEvent) => void;
  postMessage(): void {}
  close(): void {}
}

const stops: (() => void)[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  FakeSource.all = [];
  vi.stubGlobal('EventSource', FakeSource);
  vi.stubGlobal('BroadcastChannel', FakeChannel);
  const request = (_: string, __: unknown, work: () => Promise<unknown>) => work();
  vi.stubGlobal('navigator', Object.create(navigator, { locks: { value: { request } } }));
});
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('notifies a listener only of hints about its topic and subtopics', async () => {
  const received = vi.fn<(hint: unknown) => void>();
  stops.push(listen('campaign', (hint) => received(hint.topic)));
  stops.push(listen('campaign:a', (hint) => received(`own ${hint.topic}`)));
  await vi.advanceTimersByTimeAsync(0);
  expect(FakeSource.all).toHaveLength(1);
  FakeSource.all[0]?.open();
  for (const topic of ['campaign:a', 'campaign:ab', 'campaigns:a', 'group:a']) {
    FakeSource.all[0]?.onmessage?.({ data: JSON.stringify({ topic }) });
  }
  FakeSource.all[0]?.onmessage?.({ data: 'no json' });
  expect(received.mock.calls.flat()).toEqual(['campaign:a', 'own campaign:a', 'campaign:ab']);
});

it('nothing polls while the stream is open, and listeners are notified when it reopens', async () => {
  const received = vi.fn<(hint: unknown) => void>();
  stops.push(listen('campaign', received));
  await vi.advanceTimersByTimeAsync(0);
  FakeSource.all[0]?.open();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(received).not.toHaveBeenCalled();
  FakeSource.all[0]?.open();
  expect(received).toHaveBeenCalledTimes(1);
});

it('polls every five seconds if the stream is refused and retries the stream', async () => {
  const received = vi.fn<(hint: unknown) => void>();
  stops.push(listen('campaign', received));
  await vi.advanceTimersByTimeAsync(0);
  FakeSource.all[0]?.refuse();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(received).toHaveBeenCalledTimes(4);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(FakeSource.all).toHaveLength(2);
});

it('closes the stream when the last listener stops', async () => {
  const stop = listen('campaign', () => undefined);
  await vi.advanceTimersByTimeAsync(0);
  FakeSource.all[0]?.open();
  stop();
  expect(FakeSource.all[0]?.readyState).toBe(FakeSource.CLOSED);
});
