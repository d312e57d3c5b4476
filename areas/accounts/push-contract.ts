// Endpoints that list the user's browsers with push notifications, and add and remove a browser.
import { z } from 'zod';
import { SuccessResponse, dataResponse, defineCalls } from '#platform/contract.ts';
import { MAX_ENDPOINT } from './shared.ts';

const Endpoint = z
  .string()
  .max(MAX_ENDPOINT)
  .pipe(z.url({ protocol: /^https$/ }));

const Push = z.object({
  /** The installation's public VAPID key (RFC 8292), required to subscribe. */
  key: z.string(),
  /** The user's subscribed browsers, each as the SHA-256 of its endpoint in base64url. */
  browsers: z.array(z.string()),
});

export const pushCalls = defineCalls({
  readPush: {
    method: 'GET',
    path: '/client-api/api/push_subscriptions',
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    summary: 'Get the push key and subscribed browsers',
    description: 'Returns the browsers of the current user.',
    response: dataResponse(Push),
  },
  subscribePush: {
    method: 'POST',
    path: '/client-api/api/push_subscriptions',
    caller: 'account',
    requiredRight: 'none',
    audit: 'none',
    isPersonal: true,
    summary: 'Add this browser to push notifications',
    description: 'Sends a first notification as confirmation.',
    body: z.strictObject({
      endpoint: Endpoint,
      keys: z.strictObject({ p256dh: z.string().max(200), auth: z.string().max(100) }),
      /**
       * The browser's previous endpoint, which is deleted. The new one then gets no welcome
       * notification.
       */
      replaces: z.string().max(MAX_ENDPOINT).optional(),
    }),
    response: SuccessResponse,
    errors: { bad_push_subscription: 422 },
  },
  unsubscribePush: {
    method: 'POST',
    path: '/client-api/api/push_subscriptions/off',
    caller: 'account',
    requiredRight: 'none',
    audit: 'none',
    isPersonal: true,
    summary: 'Remove this browser from push notifications',
    body: z.strictObject({ endpoint: z.string().max(MAX_ENDPOINT) }),
    response: SuccessResponse,
  },
});
