// The subscriber calls of the public API.

import type { z } from 'zod';
import {
  findGroupsOfSubscribers,
  joinGroups,
  removeFromGroups,
  requireGroups,
} from '#areas/groups/server/index.ts';
import { writeFilter } from '#areas/segments/filter-grammar.ts';
import { readSegmentConditions } from '#areas/segments/server/index.ts';
import {
  deleteSubscribers,
  findSubscriber,
  reactivate,
  unsubscribe,
  updateSubscriber,
} from '#areas/subscribers/server/index.ts';
import type { Channel } from '#areas/subscribers/shared.ts';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { afterCommit, type Reader, type Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { saveRows } from '#platform/server/http/batch-rows.ts';
import { type CallContext, type Route, createRoutes } from '#platform/server/http/serve.ts';
import { presentPage } from '#platform/server/http/v2.ts';
import { buildBatchResponse, formatV2Time } from '#platform/v2-contract.ts';
import { NewSubscriber, publicCalls } from '../public-contract.ts';
import { readChannel } from './bulk.ts';
import { listEvents } from './history.ts';
import { clearCounts, listSubscribers } from './list.ts';
import { setField } from './subscriber-details.ts';
import { refreshAfterBatch, upsertListedSubscribers } from './public-batch.ts';
import {
  readCause,
  changeSubscriber,
  findSubscribersNamed,
  resolveSubscriberId,
  presentPublic,
  readPublicSubscribers,
  readPublic,
  saveSubscriber,
  excludeBounced,
  upsertSubscriberByApi,
} from './public-subscribers.ts';

/**
 * The origin of changes by calls that have no `trigger_automation` parameter. These changes may
 * start workflows.
 */
const API = { origin: 'api' } as const;
const MAX_EVENTS = 200;

const createSuccess = (message: string) => ({ success: true as const, message, data: [] });

export const publicAudienceRoutes: Route[] = createRoutes('audience', publicCalls, {
  createSubscriber: async ({ tx, caller, body }) => {
    const { subscriber: data, notes } = await saveSubscriber(tx, caller, body, toStatuses(body));
    return { success: true as const, message: notes, data };
  },
  saveSubscribers: async ({ db, tx, caller, body }) => {
    type BatchRow = z.output<typeof NewSubscriber>;
    const present = ({ id, isNew, notes }: Awaited<ReturnType<typeof upsertSubscriberByApi>>) => ({
      ...{ id: encodeId('subscriber', id), created: isNew, notes },
    });
    const save = async (row: BatchRow) =>
      present(await upsertSubscriberByApi(tx, caller, row, toStatuses(row)));
    const saveSet = async (rows: ReadonlyMap<number, BatchRow>) => {
      const rowEntries = [...rows].map(([index, row]) => {
        return [index, { body: row, statuses: toStatuses(row) }] as const;
      });
      const savedRows = await upsertListedSubscribers(tx, caller, new Map(rowEntries));
      return new Map([...savedRows].map(([index, saved]) => [index, present(saved)] as const));
    };
    const errorTexts = { area: 'audience', language: caller.language };
    const batch = { rows: body.subscribers, schema: NewSubscriber };
    afterCommit(() => void refreshAfterBatch(db, caller.accountId));
    return buildBatchResponse(await saveRows(tx, batch, save, errorTexts, saveSet));
  },
  listSubscribers: async (context) => {
    const { tx, caller, query, request } = context;
    if (query.email === undefined) return page(context, {});
    const row = await findSubscriber(tx, caller.accountId, { email: query.email });
    const subscribers = await readPublicSubscribers(tx, caller.accountId, row ? [row.id] : []);
    const presentedPage = presentPage(
      request,
      { data: [...subscribers.values()] },
      (subscriber) => subscriber,
    );
    return { ...presentedPage, has_more_not_deleted_subscribers: false };
  },
  getSubscriber: async ({ tx, caller, params }) => ({
    success: true as const,
    data: await readPublic(
      tx,
      caller.accountId,
      await resolveSubscriberId(tx, caller.accountId, params.who),
    ),
  }),
  updateSubscriber: async ({ tx, caller, params, body }) => {
    const id = await resolveSubscriberId(tx, caller.accountId, params.who);
    await changeSubscriber(tx, caller, id, body, toStatuses(body));
    return createSuccess('Success');
  },
  deleteSubscribers: async ({ tx, caller, body }) => {
    const { found } = await findSubscribersNamed(tx, caller.accountId, body.subscribers);
    const deletedIds = await deleteSubscribers(tx, caller.accountId, {
      subscriberIds: [...found.keys()],
    });
    afterCommit(() => clearCounts(caller.accountId));
    return { message: `${deletedIds.length} subscribers were deleted`, delete_instance: '' };
  },
  removePhone: ({ tx, caller, params }) => removePhone(tx, caller.accountId, params.who),
  removePhoneOnce: ({ tx, caller, params }) => removePhone(tx, caller.accountId, params.who),
  listEvents: async ({ tx, caller, params, query }) => {
    const id = await resolveSubscriberId(tx, caller.accountId, params.who);
    return presentEvents(tx, caller.accountId, id, query.actions);
  },
  setField: async ({ tx, caller, params, body: { value } }) => {
    const id = await resolveSubscriberId(tx, caller.accountId, params.who);
    const name = params.field.replace(/^\{\$(.*)\}$/, '$1');
    const fieldValue = typeof value === 'boolean' ? String(value) : value;
    await setField(tx, caller.accountId, id, name, fieldValue, API);
    return createSuccess('Success');
  },
  addToGroup: async ({ tx, caller, params, body }) => {
    const { named, ids, referenceOf } = await resolveMembers(
      tx,
      caller.accountId,
      params.group,
      body.subscribers,
    );
    const memberships = await joinGroups(tx, caller.accountId, {
      groupIds: [params.group],
      subscriberIds: ids,
      ...readCause(body),
    });
    const isNew = new Set(memberships.map((membership) => membership.subscriber_id));
    const listReferences = (isAdded: boolean) =>
      ids.filter((id) => isNew.has(id) === isAdded).map((id) => referenceOf(id));
    return {
      success: true as const,
      message: {
        subscribers_add_tag_group: listReferences(true),
        non_existing_subscribers: named.missing,
        invalid_emails: named.broken,
        subscribers_with_group_already: listReferences(false),
      },
    };
  },
  removeFromGroup: async ({ tx, caller, params, body }) => {
    const { named, ids, referenceOf } = await resolveMembers(
      tx,
      caller.accountId,
      params.group,
      body.subscribers,
    );
    const groups = await findGroupsOfSubscribers(tx, caller.accountId, ids);
    const memberIds = new Set(
      groups.filter((group) => group.id === params.group).map((group) => group.subscriber_id),
    );
    await removeFromGroups(tx, caller.accountId, {
      groupIds: [params.group],
      subscriberIds: ids,
      ...readCause(body),
    });
    const listReferences = (wasMember: boolean) =>
      ids.filter((id) => memberIds.has(id) === wasMember).map((id) => referenceOf(id));
    return {
      success: true as const,
      message: {
        subscribers_remove_tag_group: listReferences(true),
        subscribers_without_group_already: listReferences(false),
        non_existing_subscribers: named.missing,
        invalid_emails: named.broken,
      },
    };
  },
  reactivate: async ({ tx, caller, body }) => {
    const { subscriberIds: named } = await resolveSubscribers(
      tx,
      caller.accountId,
      body.subscribers,
    );
    const channel = readChannelIn(body);
    const subscriberIds = await excludeBounced(tx, caller.accountId, named, channel);
    const selection = { subscriberIds };
    const { reactivated, skipped } = await reactivate(tx, caller.accountId, selection, { channel });
    const bouncedCount = named.length - subscriberIds.length;
    const data = { reactivated: reactivated.length, skipped: skipped.length + bouncedCount };
    return { success: true as const, message: 'Success', data };
  },
  unsubscribe: async ({ tx, caller, body }) => {
    const selection = await resolveSubscribers(tx, caller.accountId, body.subscribers);
    const details = { channel: readChannelIn(body), reason: 'api', cause: API } as const;
    const unsubscribedIds = await unsubscribe(tx, caller.accountId, selection, details);
    return {
      success: true as const,
      message: 'Success',
      data: { unsubscribed: unsubscribedIds.length },
    };
  },
  listOfGroup: async (context) => {
    const { tx, caller, params } = context;
    await requireGroups(tx, caller.accountId, [params.group]);
    return page(context, { filter: `tag,have,${encodeId('group', params.group)},1,and,and,` });
  },
  listOfSegment: async (context) => {
    const { tx, caller, params } = context;
    const [conditions] = await readSegmentConditions(tx, caller.accountId, [params.segment]);
    if (!conditions) throw notFound();
    return page(context, { filter: writeFilter(conditions) });
  },
});

async function removePhone(tx: Tx, accountId: number, reference: string) {
  const id = await resolveSubscriberId(tx, accountId, reference);
  await updateSubscriber(tx, accountId, id, { phone: null, cause: API });
  return createSuccess('Success');
}

type WrittenStatuses = {
  subscriber_status?: string | null | undefined;
  sms_status?: string | null | undefined;
  transactional_email_status?: string | null | undefined;
};

const toStatuses = (body: WrittenStatuses) => ({
  email: body.subscriber_status ?? undefined,
  sms: body.sms_status ?? undefined,
  temail: body.transactional_email_status ?? undefined,
});

type ListCall = Pick<
  CallContext<(typeof publicCalls)['listSubscribers']>,
  'tx' | 'caller' | 'request'
> & {
  query: { list: ListRequest<'created'> };
};

async function page({ tx, caller, query, request }: ListCall, options: { filter?: string }) {
  const list = await listSubscribers(tx, caller.accountId, { list: query.list, ...options });
  const presentedPage = presentPage(request, list, presentPublic);
  return { ...presentedPage, has_more_not_deleted_subscribers: presentedPage.has_more_resources };
}

const readChannelIn = (body: { channel_status?: string | undefined }): Channel =>
  readChannel(body.channel_status ? { channel_status: body.channel_status } : {});

async function resolveSubscribers(db: Reader, accountId: number, references: readonly string[]) {
  return {
    subscriberIds: [...(await findSubscribersNamed(db, accountId, references)).found.keys()],
  };
}

/**
 * Returns the named subscribers; at least one must exist. `referenceOf` returns the address or id
 * that the request used for a subscriber.
 * @throws not_found without the group, subscribers_not_found
 */
async function resolveMembers(
  tx: Tx,
  accountId: number,
  groupId: number,
  references: readonly string[],
) {
  await requireGroups(tx, accountId, [groupId]);
  const subscribers = await findSubscribersNamed(tx, accountId, references);
  if (subscribers.found.size === 0) {
    throw new AppError('subscribers_not_found', {
      extra: {
        error: 'No existing subscriber emails provided',
        invalid_emails: subscribers.broken,
        non_existing_subscribers: subscribers.missing,
      },
    });
  }
  const ids = [...subscribers.found.keys()].sort((a, b) => a - b);
  return {
    named: subscribers,
    ids,
    referenceOf: (id: number) => subscribers.found.get(id) as string,
  };
}

async function presentEvents(
  db: Reader,
  accountId: number,
  id: number,
  actions: string | string[] | undefined,
) {
  const { data } = await listEvents(db, accountId, id, { actions, limit: MAX_EVENTS });
  type EventEntry = {
    created_at: string;
    title: string | null;
    campaign_id: string | null;
    url: string | null;
  };
  const events: Record<string, Record<string, EventEntry[]>> = {};
  for (const { action, at, channel, message, url, detail } of data) {
    const isCustom = action === 'event';
    const ofChannel = (events[channel ?? (isCustom ? 'custom' : 'email')] ??= {});
    (ofChannel[action] ??= []).push({
      created_at: formatV2Time(at),
      title: isCustom ? detail : (message?.subject ?? null),
      campaign_id: message?.campaign ?? null,
      url,
    });
  }
  return events;
}
