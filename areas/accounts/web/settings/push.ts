// This browser's notices: whether it can have them, and subscribing to them (Push API).
import { pushApi as api } from './queries.ts';

/** Why this browser cannot be told; undefined: it can. */
export type Hindrance = 'insecure' | 'homeScreen' | 'unsupported' | 'denied';

export function hindrance(): Hindrance | undefined {
  // Browsers hide all of it there, and would seem to know nothing of notices.
  if (globalThis.isSecureContext === false) return 'insecure';
  const canPush =
    'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;
  // Safari of iOS can, once the product is opened from the Home Screen.
  if (!canPush) return isApplePhone() ? 'homeScreen' : 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : undefined;
}

function isApplePhone(): boolean {
  const { userAgent, maxTouchPoints } = navigator;
  // An iPad says that it is a Mac.
  const isTablet = /Macintosh/.test(userAgent) && maxTouchPoints > 1;
  return /iPhone|iPad/.test(userAgent) || isTablet;
}

/** The subscription that this browser has, whoever made it. */
async function current(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration('/');
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** Whether the server tells this browser: it knows its address by its hash. */
export async function isTold(browsers: readonly string[]): Promise<boolean> {
  const subscription = hindrance() ? null : await current();
  if (!subscription || Notification.permission !== 'granted') return false;
  return browsers.includes(await hashOf(subscription.endpoint));
}

async function hashOf(endpoint: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint));
  return btoa(String.fromCharCode(...new Uint8Array(hash)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/={1,2}$/, '');
}

/** The browser's own service gave no address. */
export class PushFailed extends Error {}

/**
 * Asks the browser, which asks its user. False where that one said no, or nothing.
 * @throws PushFailed
 */
export async function turnOn(key: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  const subscription = await subscribed(key).catch((error: unknown) => {
    throw new PushFailed(String(error));
  });
  const { endpoint = '', keys = {} } = subscription.toJSON();
  const { p256dh = '', auth = '' } = keys;
  const body = { endpoint, keys: { p256dh, auth } };
  await api('POST /client-api/api/push_subscriptions', { body });
  return true;
}

async function subscribed(key: string): Promise<PushSubscription> {
  await navigator.serviceWorker.register('/sw.js', { scope: '/', updateViaCache: 'none' });
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await pushManager.subscribe(options);
  } catch (error) {
    // One that was made with another key is in the way.
    const old = await pushManager.getSubscription();
    if (!old) throw error;
    await old.unsubscribe();
    return pushManager.subscribe(options);
  }
}

/** First at the server: an address that nobody knows any more is harmless. */
export async function turnOff(): Promise<void> {
  const subscription = await current();
  if (!subscription) return;
  const body = { endpoint: subscription.endpoint };
  await api('POST /client-api/api/push_subscriptions/off', { body });
  await subscription.unsubscribe();
}
