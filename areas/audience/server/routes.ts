// Routes for subscribers, bulk actions, notes, saved views and suppressions.
import type { SendingOptions } from '#areas/content/server/index.ts';
import { MAX_ORDERS_EXPORTED } from '#areas/stores/shared.ts';
import { listSubscriberOrders } from '#areas/stores/server/index.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { AppError } from '#platform/server/errors.ts';
import { calls } from '../contract.ts';
import { runBulkAction, readChannel } from './bulk.ts';
import { readEngagement } from './engagement.ts';
import { listEvents, readFullHistory } from './history.ts';
import { listSubscribers } from './list.ts';
import { noteRoutes, readNotes } from './notes.ts';
import { sendEmail } from './send-email.ts';
import * as subscribers from './subscriber-details.ts';
import { suppressionRoutes } from './suppressions.ts';
import { viewRoutes } from './views.ts';

// oxlint-disable-next-line eslint/max-lines-per-function -- One flat table of routes.
const subscriberRoutes = (options: SendingOptions): Route[] =>
  createRoutes(
    'audience',
    calls,
    {
      listSubscribers: ({ tx, caller, query }) => listSubscribers(tx, caller.accountId, query),
      createSubscriber: ({ tx, caller, body }) =>
        subscribers.addSubscriber(tx, caller.accountId, caller.userId, body),
      getSubscriber: ({ tx, caller, params }) =>
        subscribers.readDetails(tx, caller.accountId, params.id),
      getEngagement: ({ tx, caller, params }) => readEngagement(tx, caller.accountId, params.id),
      listEvents: ({ tx, caller, params, query }) =>
        listEvents(tx, caller.accountId, params.id, query),
      setField: ({ tx, caller, params, body }) =>
        subscribers.setField(tx, caller.accountId, params.id, params.fieldId, body.value),
      clearField: ({ tx, caller, params }) =>
        subscribers.setField(tx, caller.accountId, params.id, params.fieldId, null),
      deleteSubscribers: ({ db, caller, body }) =>
        runBulkAction(db, caller.accountId, body, { kind: 'delete' }),
      unsubscribe: ({ db, caller, body }) =>
        runBulkAction(db, caller.accountId, body, {
          kind: 'unsubscribe',
          channel: readChannel(body),
          userId: caller.userId,
        }),
      undoUnsubscribe: ({ db, caller, body }) =>
        runBulkAction(db, caller.accountId, body, {
          kind: 'undo_unsubscribe',
          channel: readChannel(body),
          userId: caller.userId,
        }),
      reactivate: ({ db, caller, body }) => {
        if (body.consent && body.subscribers?.length !== 1)
          throw new AppError('consent_per_person');
        return runBulkAction(db, caller.accountId, body, {
          kind: 'reactivate',
          channel: readChannel(body),
          userId: caller.userId,
          ...(body.consent ? { consent: body.consent } : {}),
        });
      },
      addToGroup: ({ db, caller, params, body }) =>
        runBulkAction(db, caller.accountId, body, {
          kind: 'add',
          groupId: params.tagId,
          origin: getOrigin(body),
        }),
      removeFromGroup: ({ db, caller, params, body }) =>
        runBulkAction(db, caller.accountId, body, {
          kind: 'remove',
          groupId: params.tagId,
          origin: getOrigin(body),
        }),
      setFieldOfMany: ({ db, caller, body: { field, value, ...selection } }) =>
        runBulkAction(db, caller.accountId, selection, {
          kind: 'set_field',
          fieldId: field,
          value,
        }),
      sendEmail: ({ db, caller, params, body, keyedCall }) =>
        sendEmail(
          db,
          caller.accountId,
          { subscriberId: params.id, ...body },
          { options, keyed: keyedCall },
        ),
      exportSubscriber: async ({ tx, caller, params }) => ({
        subscriber: await subscribers.readDetails(tx, caller.accountId, params.id),
        history: await readFullHistory(tx, caller.accountId, params.id),
        orders: await listSubscriberOrders(tx, caller.accountId, params.id, MAX_ORDERS_EXPORTED),
        notes: await readNotes(tx, caller.accountId, params.id),
      }),
      eraseSubscriber: async ({ tx, caller, params }) => ({
        success: true as const,
        ...(await subscribers.eraseAndFind(tx, caller.accountId, params.id)),
      }),
    },
    {},
    // Errors of sending one email have their messages in this catalog.
    'transactional',
  );

export const audienceRoutes = (options: SendingOptions): Route[] => [
  ...subscriberRoutes(options),
  ...suppressionRoutes,
  ...noteRoutes,
  ...viewRoutes,
];

/** Changes of groups start workflows only if the request sets `trigger_automation`. */
const getOrigin = (body: { trigger_automation: boolean }) =>
  body.trigger_automation ? ('api' as const) : ('bulk' as const);
