// Routes for a broadcast's recipients and sending, which each kind of broadcast registers under its
// own paths.
import type { z } from 'zod';
import { type Handlers, type Route, createRoutes } from '#platform/server/http/serve.ts';
import { planningCalls } from '../planning-contract.ts';
import { recipientCalls } from '../recipients-contract.ts';
import { sendingCalls } from '../sending-contract.ts';
import * as lifecycle from './lifecycle.ts';
import type { BroadcastAdapter, BroadcastRow, ShownBroadcast } from './adapter.ts';
import * as recipients from './recipients.ts';
import { setSeries, stopSeries } from './series.ts';
import * as dates from './series-dates.ts';
import { timingRoutes } from './timing/routes.ts';

type RecipientCalls = ReturnType<typeof recipientCalls<'/{base}'>>;
type PlanningCalls = ReturnType<typeof planningCalls<'/{base}', z.ZodObject>>;
type SendingCalls = ReturnType<typeof sendingCalls<'/{base}', z.ZodObject>>;

/**
 * @param schema schema of a broadcast in the contract of the kind
 * @param textArea an area in a lower layer, searched for error texts that the adapter's area lacks
 */
export function broadcastRoutes<Row extends BroadcastRow, Shown extends ShownBroadcast>(
  adapter: BroadcastAdapter<Row, Shown>,
  schema: z.ZodObject,
  textArea?: string,
): Route[] {
  // The path does not affect the types of the calls.
  const base = adapter.base as '/{base}';
  return [
    ...createRoutes<RecipientCalls>(
      adapter.area,
      recipientCalls(base, adapter.idKind),
      recipientHandlers(adapter),
      {},
      textArea,
    ),
    ...createRoutes<SendingCalls>(
      adapter.area,
      sendingCalls(base, adapter.idKind, schema),
      sendingHandlers(adapter),
      {},
      textArea,
    ),
    ...createRoutes<PlanningCalls>(
      adapter.area,
      planningCalls(base, adapter.idKind, schema),
      planningHandlers(adapter),
      {},
      textArea,
    ),
    ...timingRoutes(adapter, schema, textArea),
  ];
}

function recipientHandlers<Row extends BroadcastRow>(
  adapter: BroadcastAdapter<Row>,
): Handlers<RecipientCalls> {
  const includedSelection = ({ id }: { id: number }) => ({ id, isExcluded: false });
  const excludedSelection = ({ id }: { id: number }) => ({ id, isExcluded: true });
  return {
    readTags: ({ tx, caller, params }) =>
      recipients.readGroups(tx, adapter, caller.accountId, includedSelection(params)),
    setTags: ({ tx, caller, params, body: { tags_arr, send_to_all, revision } }) =>
      recipients.setGroups(tx, adapter, caller.accountId, includedSelection(params), tags_arr, {
        sendToAll: send_to_all,
        revision,
      }),
    readExcludedTags: ({ tx, caller, params }) =>
      recipients.readGroups(tx, adapter, caller.accountId, excludedSelection(params)),
    setExcludedTags: ({ tx, caller, params, body: { tags_arr, revision } }) =>
      recipients.setGroups(tx, adapter, caller.accountId, excludedSelection(params), tags_arr, {
        revision,
      }),
    clearExcludedTags: ({ tx, caller, params }) =>
      recipients.setGroups(tx, adapter, caller.accountId, excludedSelection(params), []),
    readSegments: ({ tx, caller, params }) =>
      recipients.readSegments(tx, adapter, caller.accountId, includedSelection(params)),
    setSegments: ({ tx, caller, params, body: { filters_arr, revision } }) =>
      recipients.setSegments(
        tx,
        adapter,
        caller.accountId,
        includedSelection(params),
        filters_arr,
        revision,
      ),
    readExcludedSegments: ({ tx, caller, params }) =>
      recipients.readSegments(tx, adapter, caller.accountId, excludedSelection(params)),
    setExcludedSegments: ({ tx, caller, params, body: { filters_arr, revision } }) =>
      recipients.setSegments(
        tx,
        adapter,
        caller.accountId,
        excludedSelection(params),
        filters_arr,
        revision,
      ),
    clearExcludedSegments: ({ tx, caller, params }) =>
      recipients.setSegments(tx, adapter, caller.accountId, excludedSelection(params), []),
    countRecipients: ({ tx, caller, params }) =>
      recipients.countRecipients(tx, adapter, caller.accountId, params.id),
  };
}

function sendingHandlers<Row extends BroadcastRow, Shown extends ShownBroadcast>(
  adapter: BroadcastAdapter<Row, Shown>,
): Handlers<SendingCalls> {
  return {
    schedule: ({ tx, caller, params, body: { schedule_time: wall, revision } }) =>
      lifecycle.schedule(tx, adapter, caller.accountId, params.id, wall, revision),
    cancel: ({ tx, caller, params }) => lifecycle.cancel(tx, adapter, caller.accountId, params.id),
    pause: ({ tx, caller, params }) => lifecycle.pause(tx, adapter, caller.accountId, params.id),
    resume: ({ tx, caller, params }) => lifecycle.resume(tx, adapter, caller.accountId, params.id),
    retry: async ({ tx, caller, params, body }) => ({
      retried: await lifecycle.retry(tx, adapter, caller.accountId, params.id, body.which),
    }),
  };
}

function planningHandlers<Row extends BroadcastRow, Shown extends ShownBroadcast>(
  adapter: BroadcastAdapter<Row, Shown>,
): Handlers<PlanningCalls> {
  return {
    reschedule: ({ tx, caller, params, body }) =>
      dates.reschedule(tx, adapter, caller.accountId, params.id, body.schedule_time),
    setSeries: ({ tx, caller, params, body }) =>
      setSeries(tx, adapter, caller.accountId, params.id, body),
    stopSeries: ({ tx, caller, params }) => stopSeries(tx, adapter, caller.accountId, params.id),
    listSeriesDates: ({ tx, caller, params }) =>
      dates.listDates(tx, adapter, caller.accountId, params.id),
    cancelSeriesDate: ({ tx, caller, params, body }) =>
      dates.skipDate(tx, adapter, caller.accountId, params.id, body.on),
    restoreSeriesDate: ({ tx, caller, params, body }) =>
      dates.unskipDate(tx, adapter, caller.accountId, params.id, body.on),
    createSeriesDate: ({ tx, caller, params, body }) =>
      dates.createDate(tx, adapter, caller.accountId, params.id, {
        on: body.on,
        wallTime: body.schedule_time,
      }),
  };
}
