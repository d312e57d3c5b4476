// The endpoints of push subscriptions.
import {
  type Handlers,
  type CallLimits,
  type Route,
  createRoutes,
} from '#platform/server/http/serve.ts';
import { pushCalls } from '../push-contract.ts';
import * as push from './push.ts';

const limits: CallLimits<typeof pushCalls> = {
  subscribePush: ({ db, caller }) => push.limitSubscriptions(db, caller.userId),
};

const handlers: Handlers<typeof pushCalls> = {
  readPush: ({ tx, caller }) => push.readPush(tx, caller.userId),
  subscribePush: ({ tx, caller, body }) => push.subscribe(tx, caller, body),
  unsubscribePush: ({ tx, caller, body }) => push.unsubscribe(tx, caller.userId, body.endpoint),
};

export const pushRoutes: Route[] = createRoutes('accounts', pushCalls, handlers, limits);
