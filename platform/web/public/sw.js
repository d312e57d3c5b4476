// Shows the server's push notifications and opens the screen they are about. It handles no requests
// and stores nothing: each screen is loaded from the server, so none is ever stale.
self.addEventListener('install', () => self.skipWaiting());

self.addEventListener('push', (event) => event.waitUntil(show(event.data)));

async function show(data) {
  const { title = 'Sendloom', path = '/', ...notice } = read(data);
  await self.registration.showNotification(title, {
    ...notice,
    data: { path },
    icon: '/icons/app-192.png',
    badge: '/icons/badge-96.png',
  });
}

/**
 * Reads a push. A browser must show something for each push, so an unreadable one is shown without
 * text.
 */
function read(data) {
  try {
    return data?.json() ?? {};
  } catch {
    return {};
  }
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(new URL(event.notification.data?.path ?? '/', self.location.origin)));
});

/**
 * Focuses the page if it is already open; other open pages may contain input and are left
 * unchanged.
 */
async function open(url) {
  if (url.origin !== self.location.origin) return;
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = pages.find((one) => new URL(one.url).pathname.startsWith(url.pathname));
  await (page && url.pathname !== '/' ? page.focus() : self.clients.openWindow(url.href));
}

/** The browser's push service changed the address: the server needs the new one. */
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event)));

async function renew({ oldSubscription, newSubscription }) {
  const fresh =
    newSubscription ??
    (oldSubscription && (await self.registration.pushManager.subscribe(oldSubscription.options)));
  if (!fresh) return;
  const { endpoint, keys } = fresh.toJSON();
  const tell = () =>
    call('/client-api/api/push_subscriptions', {
      endpoint,
      keys: { p256dh: keys.p256dh, auth: keys.auth },
      ...(oldSubscription ? { replaces: oldSubscription.endpoint } : {}),
    });
  const answer = await tell();
  if (answer.status !== 401) return;
  if ((await call('/auth/api/refresh')).ok) await tell();
}

const call = (path, body) =>
  fetch(path, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json', 'x-sendloom': '1' },
    body: body && JSON.stringify(body),
  });
