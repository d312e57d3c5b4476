// The calls about the people, each as a sentence.
import { ORDERS_EXPORTED } from '#areas/stores/limits.ts';
import { ordersOf } from '#areas/stores/server/index.ts';
import {
  liftSuppression,
  readSuppressions,
  type Suppression,
} from '#areas/subscribers/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { type Route, serve } from '#platform/server/http/serve.ts';
import { AppError } from '#platform/server/errors.ts';
import { calls } from '../contract.ts';
import { suppressionCalls } from '../suppressions-contract.ts';
import { actOnMany, channelOf } from './bulk.ts';
import { listEvents, wholeHistory } from './history.ts';
import { listSubscribers } from './list.ts';
import * as one from './one-subscriber.ts';

const suppressionRoutes: Route[] = serve('audience', suppressionCalls, {
  listSuppressions: async ({ tx, who, query: { list, ...by } }) => {
    const { data, ...rest } = await readSuppressions(tx, who.accountId, list, by);
    return { data: data.map(presentSuppression), ...rest };
  },
  liftSuppression: async ({ tx, who, params, body }) => {
    const what = { channel: body.channel, hash: params.id };
    await liftSuppression(tx, who.accountId, what, who.userId);
    return { success: true as const };
  },
});

const presentSuppression = ({ hash, reason, at, person }: Suppression) => ({
  id: hash,
  reason,
  since: at.toISOString(),
  subscriber: person ? { id: encodeId('subscriber', person.id), address: person.address } : null,
});

const peopleRoutes: Route[] = serve('audience', calls, {
  listSubscribers: ({ tx, who, query }) => listSubscribers(tx, who.accountId, query),
  createSubscriber: async ({ tx, who, body }) => ({
    data: await one.addSubscriber(tx, who.accountId, who.userId, body),
  }),
  getSubscriber: async ({ tx, who, params }) => ({
    data: await one.readDetails(tx, who.accountId, params.id),
  }),
  listEvents: ({ tx, who, params, query }) => listEvents(tx, who.accountId, params.id, query),
  setField: async ({ tx, who, params, body }) => ({
    data: await one.setField(tx, who.accountId, params.id, params.fieldId, body.value),
  }),
  clearField: async ({ tx, who, params }) => ({
    data: await one.setField(tx, who.accountId, params.id, params.fieldId, null),
  }),
  deleteSubscribers: ({ db, who, body }) => actOnMany(db, who.accountId, body, { kind: 'delete' }),
  unsubscribe: ({ db, who, body }) =>
    actOnMany(db, who.accountId, body, {
      kind: 'unsubscribe',
      channel: channelOf(body),
      userId: who.userId,
    }),
  undoUnsubscribe: ({ db, who, body }) =>
    actOnMany(db, who.accountId, body, {
      kind: 'undo_unsubscribe',
      channel: channelOf(body),
      userId: who.userId,
    }),
  reactivate: ({ db, who, body }) => {
    if (body.consent && body.subscribers?.length !== 1) throw new AppError('consent_per_person');
    return actOnMany(db, who.accountId, body, {
      kind: 'reactivate',
      channel: channelOf(body),
      userId: who.userId,
      ...(body.consent ? { consent: body.consent } : {}),
    });
  },
  addToGroup: ({ db, who, params, body }) =>
    actOnMany(db, who.accountId, body, {
      kind: 'add',
      groupId: params.tagId,
      origin: originOf(body),
    }),
  removeFromGroup: ({ db, who, params, body }) =>
    actOnMany(db, who.accountId, body, {
      kind: 'remove',
      groupId: params.tagId,
      origin: originOf(body),
    }),
  exportSubscriber: async ({ tx, who, params }) => ({
    data: {
      subscriber: await one.readDetails(tx, who.accountId, params.id),
      history: await wholeHistory(tx, who.accountId, params.id),
      orders: await ordersOf(tx, who.accountId, params.id, ORDERS_EXPORTED),
    },
  }),
  eraseSubscriber: async ({ tx, who, params }) => {
    await one.eraseSubscriber(tx, who.accountId, params.id);
    return { success: true as const };
  },
});

export const audienceRoutes: Route[] = [...peopleRoutes, ...suppressionRoutes];

/** Over the API it is a fact that may start workflows; by hand, only where it is asked for. */
const originOf = (body: { trigger_automation: boolean }) =>
  body.trigger_automation ? ('api' as const) : ('bulk' as const);
