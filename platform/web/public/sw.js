// Shows what the server tells this browser, and opens the screen that it is about. It answers no requests and keeps
// nothing: each screen comes from the server, so none is ever stale.
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

/** A browser shows something for each push: what cannot be read is shown without words. */
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

/** Where the screen is open already it comes to the front; no other page is taken from what is written in it. */
async function open(url) {
  if (url.origin !== self.location.origin) return;
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = pages.find((one) => new URL(one.url).pathname.startsWith(url.pathname));
  await (page && url.pathname !== '/' ? page.focus() : self.clients.openWindow(url.href));
}

/** The browser's own push service changed the address: the server must know the new one. */
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
