// Change hints from one stream per browser: the tab that holds the lock listens to the server and
// forwards hints to the other tabs. Without a stream, every visible tab notifies its listeners
// every five seconds, as if all topics had changed.
import { useEffect, useRef } from 'react';
import { isEnabled } from '../flags.ts';
import { renewalDue, renewSession } from './renewal.ts';
import { onReset } from '../store.ts';

export interface Hint {
  topic: string;
  [fact: string]: unknown;
}

type OnHint = (hint: Hint) => void;

const STREAM_PATH = '/client-api/api/live';
const NAME = 'sendloom.live';
const POLL_MS = 5_000;
/**
 * Interval at which the leading tab sends a beat to the other tabs while its stream is open. After
 * three missed beats, a tab treats the stream as lost.
 */
const BEAT_MS = 5_000;
const graceMs = 3 * BEAT_MS;
const RETRY_MS = 30_000;

const listeners = new Map<OnHint, string>();
let channel: BroadcastChannel | undefined;
let aliveUntil = 0;
let stop: (() => void) | undefined;

/**
 * Calls `onHint` when the topic or a subtopic (`campaign:abc` for `campaign`) changes or may have
 * changed.
 */
export function useLive(topic: string, onHint: OnHint): void {
  const latest = useRef(onHint);
  latest.current = onHint;
  useEffect(() => listen(topic, (hint) => latest.current(hint)), [topic]);
}

/** Does the same as `useLive` outside components; returns the function that stops it. */
export function listen(topic: string, onHint: OnHint): () => void {
  listeners.set(onHint, topic);
  stop ??= start();
  return () => {
    listeners.delete(onHint);
    if (listeners.size === 0) {
      stop?.();
      stop = undefined;
    }
  };
}

onReset(() => {
  stop?.();
  stop = undefined;
  listeners.clear();
});

function start(): () => void {
  const stops: (() => void)[] = [];
  const ending = new AbortController();
  stops.push(() => ending.abort());
  const poll = setInterval(() => {
    if (Date.now() > aliveUntil && document.visibilityState === 'visible') notifyAll();
  }, POLL_MS);
  stops.push(() => clearInterval(poll));
  if (isEnabled('liveStream') && 'locks' in navigator && 'BroadcastChannel' in window) {
    channel = new BroadcastChannel(NAME);
    channel.onmessage = ({ data }: MessageEvent<Message>) => handleMessage(data);
    stops.push(() => {
      channel?.close();
      channel = undefined;
    });
    void lead(ending.signal);
  }
  return () => {
    for (const end of stops) end();
  };
}

type Message = { beat: true } | { hint: Hint } | { missed: true };

/** Waits until no other tab leads, then holds the stream for all of them. */
async function lead(signal: AbortSignal): Promise<void> {
  try {
    await navigator.locks.request(NAME, { signal }, async () => {
      while (!signal.aborted) {
        if ((renewalDue() ?? 1) <= 0) await renewSession();
        await stream(signal);
        await sleep(RETRY_MS, signal);
      }
    });
  } catch {
    // Aborted while waiting: this tab no longer listens.
  }
}

/** Holds one connection until it is refused or this tab stops; the browser reopens a lost one. */
function stream(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const source = new EventSource(STREAM_PATH);
    let isFirst = true;
    const beat = setInterval(() => {
      if (source.readyState === EventSource.OPEN) broadcast({ beat: true });
    }, BEAT_MS);
    const end = () => {
      clearInterval(beat);
      source.close();
      aliveUntil = 0;
      resolve();
    };
    source.onopen = () => {
      broadcast({ beat: true });
      // Hints between two connections may have been missed.
      if (!isFirst) broadcast({ missed: true });
      isFirst = false;
    };
    source.onmessage = ({ data }) => {
      const hint = hintOf(String(data));
      if (hint) broadcast({ hint });
    };
    source.onerror = () => {
      aliveUntil = 0;
      if (source.readyState === EventSource.CLOSED) end();
    };
    signal.addEventListener('abort', end, { once: true });
  });
}

function broadcast(message: Message): void {
  channel?.postMessage(message);
  handleMessage(message);
}

function handleMessage(message: Message): void {
  aliveUntil = Date.now() + graceMs;
  if ('hint' in message) notifyTopic(message.hint);
  if ('missed' in message) notifyAll();
}

function notifyTopic(hint: Hint): void {
  for (const [onHint, topic] of [...listeners]) {
    if (hint.topic === topic || hint.topic.startsWith(`${topic}:`)) onHint(hint);
  }
}

function notifyAll(): void {
  for (const [onHint, topic] of [...listeners]) onHint({ topic });
}

function hintOf(data: string): Hint | undefined {
  try {
    const parsed: unknown = JSON.parse(data);
    const isHint = typeof parsed === 'object' && parsed !== null && 'topic' in parsed;
    return isHint && typeof parsed.topic === 'string' ? (parsed as Hint) : undefined;
  } catch {
    return undefined;
  }
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
