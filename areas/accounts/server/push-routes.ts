// The endpoints of push subscriptions.
import { type Handlers, type Limits, type Route, serve } from '#platform/server/http/serve.ts';
import { pushCalls } from '../push-contract.ts';
import * as push from './push.ts';

const limits: Limits<typeof pushCalls> = {
  subscribePush: ({ db, who }) => push.limitSubscriptions(db, who.userId),
};

const handlers: Handlers<typeof pushCalls> = {
  readPush: async ({ tx, who }) => ({ data: await push.readPush(tx, who.userId) }),
  subscribePush: async ({ tx, who, body }) => {
    await push.subscribe(tx, who, body);
    return { success: true as const };
  },
  unsubscribePush: async ({ tx, who, body }) => {
    await push.unsubscribe(tx, who.userId, body.endpoint);
    return { success: true as const };
  },
};

export const pushRoutes: Route[] = serve('accounts', pushCalls, handlers, limits);
