// Push notifications of this browser: detects support, subscribes and unsubscribes (Push API).
import { pushApi as api } from './queries.ts';

/** The reason why this browser cannot receive notifications. */
export type UnsupportedReason = 'insecure' | 'homeScreen' | 'unsupported' | 'denied';

export function getUnsupportedReason(): UnsupportedReason | undefined {
  // Browsers hide the Push API on insecure pages, which looks like missing support.
  if (globalThis.isSecureContext === false) return 'insecure';
  const canPush =
    'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;
  // Safari on iOS supports the Push API only when the product is opened from the Home Screen.
  if (!canPush) return isIosDevice() ? 'homeScreen' : 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : undefined;
}

function isIosDevice(): boolean {
  const { userAgent, maxTouchPoints } = navigator;
  // An iPad reports itself as a Mac.
  const isTablet = /Macintosh/.test(userAgent) && maxTouchPoints > 1;
  return /iPhone|iPad/.test(userAgent) || isTablet;
}

/** Returns the subscription of this browser, whichever user created it. */
async function currentSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration('/');
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/**
 * Returns whether the server has this browser's subscription, found by the hash of its endpoint.
 */
export async function isSubscribed(browsers: readonly string[]): Promise<boolean> {
  const subscription = getUnsupportedReason() ? null : await currentSubscription();
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

/** The browser did not get a subscription from its push service. */
export class PushFailed extends Error {}

/**
 * Requests permission and subscribes. Returns false if the user declined or dismissed the prompt.
 * @throws PushFailed
 */
export async function enablePush(key: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  const subscription = await subscribeBrowser(key).catch((error: unknown) => {
    throw new PushFailed(String(error));
  });
  const { endpoint = '', keys = {} } = subscription.toJSON();
  const { p256dh = '', auth = '' } = keys;
  const body = { endpoint, keys: { p256dh, auth } };
  await api('POST /client-api/api/push_subscriptions', { body });
  return true;
}

async function subscribeBrowser(key: string): Promise<PushSubscription> {
  await navigator.serviceWorker.register('/sw.js', { scope: '/', updateViaCache: 'none' });
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await pushManager.subscribe(options);
  } catch (error) {
    // A subscription that was created with another key prevents a new one.
    const oldSubscription = await pushManager.getSubscription();
    if (!oldSubscription) throw error;
    await oldSubscription.unsubscribe();
    return pushManager.subscribe(options);
  }
}

/** Ends the subscription, at the server first: an endpoint without a server record is harmless. */
export async function disablePush(): Promise<void> {
  const subscription = await currentSubscription();
  if (!subscription) return;
  const body = { endpoint: subscription.endpoint };
  await api('POST /client-api/api/push_subscriptions/off', { body });
  await subscription.unsubscribe();
}
