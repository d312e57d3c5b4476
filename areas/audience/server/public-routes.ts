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
import { type Context, type Route, serve } from '#platform/server/http/serve.ts';
import { presentPage } from '#platform/server/http/v2.ts';
import { answerBatch, v2TimeOf } from '#platform/v2-contract.ts';
import { NewSubscriber, publicCalls } from '../public-contract.ts';
import { readChannel } from './bulk.ts';
import { listEvents } from './history.ts';
import { clearCounts, listSubscribers } from './list.ts';
import { setField } from './subscriber-details.ts';
import { refreshAfterBatch, upsertPeople } from './public-batch.ts';
import {
  readCause,
  changeSubscriber,
  findSubscribersNamed,
  resolveSubscriberId,
  presentPublic,
  publicSubscribers,
  readPublic,
  saveSubscriber,
  unbounced,
  upsertPerson,
} from './public-people.ts';

/** For calls without `trigger_automation`, which is on by default. */
const API = { origin: 'api' } as const;
const MAX_EVENTS = 200;

const changed = (message: string) => ({ success: true as const, message, data: [] });

export const publicAudienceRoutes: Route[] = serve('audience', publicCalls, {
  createSubscriber: async ({ tx, caller, body }) => {
    const { subscriber: data, notes } = await saveSubscriber(tx, caller, body, statusesOf(body));
    return { success: true as const, message: notes, data };
  },
  saveSubscribers: async ({ db, tx, caller, body }) => {
    type Row = z.output<typeof NewSubscriber>;
    const present = ({ id, isNew, notes }: Awaited<ReturnType<typeof upsertPerson>>) => ({
      ...{ id: encodeId('subscriber', id), created: isNew, notes },
    });
    const save = async (row: Row) => present(await upsertPerson(tx, caller, row, statusesOf(row)));
    const saveSet = async (rows: ReadonlyMap<number, Row>) => {
      const written = [...rows].map(([index, row]) => {
        return [index, { body: row, statuses: statusesOf(row) }] as const;
      });
      const saved = await upsertPeople(tx, caller, new Map(written));
      return new Map([...saved].map(([index, person]) => [index, present(person)] as const));
    };
    const errorTexts = { area: 'audience', language: caller.language };
    const batch = { rows: body.subscribers, schema: NewSubscriber };
    afterCommit(() => void refreshAfterBatch(db, caller.accountId));
    return answerBatch(await saveRows(tx, batch, save, errorTexts, saveSet));
  },
  listSubscribers: async (context) => {
    const { tx, caller, query, request } = context;
    if (query.email === undefined) return page(context, {});
    const row = await findSubscriber(tx, caller.accountId, { email: query.email });
    const people = await publicSubscribers(tx, caller.accountId, row ? [row.id] : []);
    const shown = presentPage(request, { data: [...people.values()] }, (person) => person);
    return { ...shown, has_more_not_deleted_subscribers: false };
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
    await changeSubscriber(tx, caller, id, body, statusesOf(body));
    return changed('Success');
  },
  deleteSubscribers: async ({ tx, caller, body }) => {
    const { found } = await findSubscribersNamed(tx, caller.accountId, body.subscribers);
    const deleted = await deleteSubscribers(tx, caller.accountId, {
      subscriberIds: [...found.keys()],
    });
    afterCommit(() => clearCounts(caller.accountId));
    return { message: `${deleted.length} subscribers were deleted`, delete_instance: '' };
  },
  removePhone: ({ tx, caller, params }) => removePhone(tx, caller.accountId, params.who),
  removePhoneOnce: ({ tx, caller, params }) => removePhone(tx, caller.accountId, params.who),
  listEvents: async ({ tx, caller, params, query }) => {
    const id = await resolveSubscriberId(tx, caller.accountId, params.who);
    return eventsOf(tx, caller.accountId, id, query.actions);
  },
  setField: async ({ tx, caller, params, body: { value } }) => {
    const id = await resolveSubscriberId(tx, caller.accountId, params.who);
    const name = params.field.replace(/^\{\$(.*)\}$/, '$1');
    const written = typeof value === 'boolean' ? String(value) : value;
    await setField(tx, caller.accountId, id, name, written, API);
    return changed('Success');
  },
  addToGroup: async ({ tx, caller, params, body }) => {
    const { named, ids, referenceOf } = await members(
      tx,
      caller.accountId,
      params.group,
      body.subscribers,
    );
    const added = await joinGroups(tx, caller.accountId, {
      groupIds: [params.group],
      subscriberIds: ids,
      ...readCause(body),
    });
    const isNew = new Set(added.map((membership) => membership.subscriber_id));
    const listed = (has: boolean) =>
      ids.filter((id) => isNew.has(id) === has).map((id) => referenceOf(id));
    return {
      success: true as const,
      message: {
        subscribers_add_tag_group: listed(true),
        non_existing_subscribers: named.missing,
        invalid_emails: named.broken,
        subscribers_with_group_already: listed(false),
      },
    };
  },
  removeFromGroup: async ({ tx, caller, params, body }) => {
    const { named, ids, referenceOf } = await members(
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
    const listed = (was: boolean) =>
      ids.filter((id) => memberIds.has(id) === was).map((id) => referenceOf(id));
    return {
      success: true as const,
      message: {
        subscribers_remove_tag_group: listed(true),
        subscribers_without_group_already: listed(false),
        non_existing_subscribers: named.missing,
        invalid_emails: named.broken,
      },
    };
  },
  reactivate: async ({ tx, caller, body }) => {
    const { subscriberIds: named } = await namedIn(tx, caller.accountId, body.subscribers);
    const channel = channelIn(body);
    const subscriberIds = await unbounced(tx, caller.accountId, named, channel);
    const people = { subscriberIds };
    const { reactivated, skipped } = await reactivate(tx, caller.accountId, people, { channel });
    const bounced = named.length - subscriberIds.length;
    const data = { reactivated: reactivated.length, skipped: skipped.length + bounced };
    return { success: true as const, message: 'Success', data };
  },
  unsubscribe: async ({ tx, caller, body }) => {
    const people = await namedIn(tx, caller.accountId, body.subscribers);
    const act = { channel: channelIn(body), reason: 'api', cause: API } as const;
    const unsubscribed = await unsubscribe(tx, caller.accountId, people, act);
    return {
      success: true as const,
      message: 'Success',
      data: { unsubscribed: unsubscribed.length },
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
  return changed('Success');
}

type WrittenStatuses = {
  subscriber_status?: string | null | undefined;
  sms_status?: string | null | undefined;
  transactional_email_status?: string | null | undefined;
};

const statusesOf = (body: WrittenStatuses) => ({
  email: body.subscriber_status ?? undefined,
  sms: body.sms_status ?? undefined,
  temail: body.transactional_email_status ?? undefined,
});

type ListCall = Pick<
  Context<(typeof publicCalls)['listSubscribers']>,
  'tx' | 'caller' | 'request'
> & {
  query: { list: ListRequest<'created'> };
};

async function page({ tx, caller, query, request }: ListCall, options: { filter?: string }) {
  const list = await listSubscribers(tx, caller.accountId, { list: query.list, ...options });
  const shown = presentPage(request, list, presentPublic);
  return { ...shown, has_more_not_deleted_subscribers: shown.has_more_resources };
}

const channelIn = (body: { channel_status?: string | undefined }): Channel =>
  readChannel(body.channel_status ? { channel_status: body.channel_status } : {});

async function namedIn(db: Reader, accountId: number, listed: readonly string[]) {
  return { subscriberIds: [...(await findSubscribersNamed(db, accountId, listed)).found.keys()] };
}

/**
 * The named subscribers, of whom at least one must exist. `referenceOf` returns the address or id
 * by which the request named a subscriber. @throws not_found without the group,
 * subscribers_not_found
 */
async function members(tx: Tx, accountId: number, groupId: number, listed: readonly string[]) {
  await requireGroups(tx, accountId, [groupId]);
  const named = await findSubscribersNamed(tx, accountId, listed);
  if (named.found.size === 0) {
    throw new AppError('subscribers_not_found', {
      extra: {
        error: 'No existing subscriber emails provided',
        invalid_emails: named.broken,
        non_existing_subscribers: named.missing,
      },
    });
  }
  const ids = [...named.found.keys()].sort((a, b) => a - b);
  return { named, ids, referenceOf: (id: number) => named.found.get(id) as string };
}

async function eventsOf(
  db: Reader,
  accountId: number,
  id: number,
  actions: string | string[] | undefined,
) {
  const { data } = await listEvents(db, accountId, id, { actions, limit: MAX_EVENTS });
  type Entry = {
    created_at: string;
    title: string | null;
    campaign_id: string | null;
    url: string | null;
  };
  const events: Record<string, Record<string, Entry[]>> = {};
  for (const { action, at, channel, message, url, detail } of data) {
    const isCustom = action === 'event';
    const ofChannel = (events[channel ?? (isCustom ? 'custom' : 'email')] ??= {});
    (ofChannel[action] ??= []).push({
      created_at: v2TimeOf(at),
      title: isCustom ? detail : (message?.subject ?? null),
      campaign_id: message?.campaign ?? null,
      url,
    });
  }
  return events;
}
