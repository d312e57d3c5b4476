// The endpoints of push subscriptions.
import { type Handlers, type Limits, type Route, serve } from '#platform/server/http/serve.ts';
import { pushCalls } from '../push-contract.ts';
import * as push from './push.ts';

const limits: Limits<typeof pushCalls> = {
  subscribePush: ({ db, who }) => push.limitSubscriptions(db, who.userId),
};

const handlers: Handlers<typeof pushCalls> = {
  readPush: ({ tx, who }) => push.readPush(tx, who.userId),
  subscribePush: ({ tx, who, body }) => push.subscribe(tx, who, body),
  unsubscribePush: ({ tx, who, body }) => push.unsubscribe(tx, who.userId, body.endpoint),
};

export const pushRoutes: Route[] = serve('accounts', pushCalls, handlers, limits);
