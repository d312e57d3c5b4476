// The calls of the audience.
import type { SendingOptions } from '#areas/content/server/index.ts';
import { ORDERS_EXPORTED } from '#areas/stores/shared.ts';
import { ordersOf } from '#areas/stores/server/index.ts';
import { type Route, serve } from '#platform/server/http/serve.ts';
import { AppError } from '#platform/server/errors.ts';
import { calls } from '../contract.ts';
import { actOnMany, channelOf } from './bulk.ts';
import { readEngagement } from './engagement.ts';
import { listEvents, wholeHistory } from './history.ts';
import { listSubscribers } from './list.ts';
import { noteRoutes, readNotes } from './notes.ts';
import { sendEmail } from './send-email.ts';
import * as subscribers from './one-subscriber.ts';
import { suppressionRoutes } from './suppressions.ts';
import { viewRoutes } from './views.ts';

// oxlint-disable-next-line eslint/max-lines-per-function -- One flat table of routes.
const peopleRoutes = (options: SendingOptions): Route[] =>
  serve(
    'audience',
    calls,
    {
      listSubscribers: ({ tx, who, query }) => listSubscribers(tx, who.accountId, query),
      createSubscriber: ({ tx, who, body }) =>
        subscribers.addSubscriber(tx, who.accountId, who.userId, body),
      getSubscriber: ({ tx, who, params }) => subscribers.readDetails(tx, who.accountId, params.id),
      getEngagement: ({ tx, who, params }) => readEngagement(tx, who.accountId, params.id),
      listEvents: ({ tx, who, params, query }) => listEvents(tx, who.accountId, params.id, query),
      setField: ({ tx, who, params, body }) =>
        subscribers.setField(tx, who.accountId, params.id, params.fieldId, body.value),
      clearField: ({ tx, who, params }) =>
        subscribers.setField(tx, who.accountId, params.id, params.fieldId, null),
      deleteSubscribers: ({ db, who, body }) =>
        actOnMany(db, who.accountId, body, { kind: 'delete' }),
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
        if (body.consent && body.subscribers?.length !== 1)
          throw new AppError('consent_per_person');
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
      setFieldOfMany: ({ db, who, body: { field, value, ...selection } }) =>
        actOnMany(db, who.accountId, selection, { kind: 'set_field', fieldId: field, value }),
      sendEmail: ({ db, who, params, body, keyed }) =>
        sendEmail(db, who.accountId, { subscriberId: params.id, ...body }, { options, keyed }),
      exportSubscriber: async ({ tx, who, params }) => ({
        subscriber: await subscribers.readDetails(tx, who.accountId, params.id),
        history: await wholeHistory(tx, who.accountId, params.id),
        orders: await ordersOf(tx, who.accountId, params.id, ORDERS_EXPORTED),
        notes: await readNotes(tx, who.accountId, params.id),
      }),
      eraseSubscriber: ({ tx, who, params }) =>
        subscribers.eraseSubscriber(tx, who.accountId, params.id),
    },
    {},
    'transactional',
  );

export const audienceRoutes = (options: SendingOptions): Route[] => [
  ...peopleRoutes(options),
  ...suppressionRoutes,
  ...noteRoutes,
  ...viewRoutes,
];

/** By API a change may start workflows; manually only on request. */
const originOf = (body: { trigger_automation: boolean }) =>
  body.trigger_automation ? ('api' as const) : ('bulk' as const);
