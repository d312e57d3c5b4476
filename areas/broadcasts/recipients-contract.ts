// Recipients of a broadcast: included and excluded groups and segments, and the number of
// subscribers. Each kind of broadcast offers these calls under its own paths.
import { z } from 'zod';
import { dataResponse, defineCalls, Id, idOf, itemRoutes } from '#platform/contract.ts';
import type { Kind } from '#platform/ids.ts';
import { EXCLUSIONS } from '../delivery/shared.ts';
import { MAX_GROUPS, MAX_SEGMENTS } from './shared.ts';

export const Group = z.object({ id: Id, title: z.string() });

export const Recipients = z.object({
  /** Number of recipients, each subscriber once. */
  count: z.number(),
  /** Subscribers in the selected groups and segments, each once. */
  total: z.number(),
  excluded: z.array(z.object({ reason: z.enum(EXCLUSIONS), count: z.number() })),
});
export type Recipients = z.infer<typeof Recipients>;

const notDraft = { campaign_not_draft: 409 };
const GroupIds = z.array(idOf('group')).max(MAX_GROUPS);
const SegmentIds = z.array(idOf('segment')).max(MAX_SEGMENTS);
/**
 * The client's revision. If it is no longer current, the request fails and changes nothing. Each
 * change increases the revision by one.
 */
const revision = z.number().int().positive().optional();
const groups = dataResponse(z.array(Group));

function groupCalls<const Base extends `/${string}`>(base: Base, kind: Kind) {
  const { itemPath, params } = itemRoutes(base, kind);
  return defineCalls({
    readTags: {
      method: 'GET',
      path: itemPath('tags'),
      caller: 'account',
      summary: 'List recipient groups',
      params,
      response: groups,
    },
    setTags: {
      method: 'POST',
      path: itemPath('tags/set'),
      caller: 'account',
      summary: 'Set recipient groups or all subscribers',
      params,
      body: z.strictObject({ tags_arr: GroupIds, send_to_all: z.boolean().optional(), revision }),
      response: groups,
      errors: { ...notDraft, resend_recipients: 409 },
    },
    readExcludedTags: {
      method: 'GET',
      path: itemPath('exclude_tags'),
      caller: 'account',
      summary: 'List excluded groups',
      params,
      response: groups,
    },
    setExcludedTags: {
      method: 'POST',
      path: itemPath('exclude_tags/set'),
      caller: 'account',
      summary: 'Set excluded groups',
      params,
      body: z.strictObject({ tags_arr: GroupIds, revision }),
      response: groups,
      errors: notDraft,
    },
    clearExcludedTags: {
      method: 'DELETE',
      path: itemPath('exclude_tags/all'),
      caller: 'account',
      summary: 'Remove all excluded groups',
      params,
      response: groups,
      errors: notDraft,
    },
  });
}

function segmentCalls<const Base extends `/${string}`>(base: Base, kind: Kind) {
  const { itemPath, params } = itemRoutes(base, kind);
  return defineCalls({
    readSegments: {
      method: 'GET',
      path: itemPath('filters'),
      caller: 'account',
      summary: 'List recipient segments',
      params,
      response: groups,
    },
    setSegments: {
      method: 'POST',
      path: itemPath('filters/set'),
      caller: 'account',
      summary: 'Set recipient segments',
      description:
        'Recipient groups remain selected. Setting at least one segment turns `send_to_all` off.',
      params,
      body: z.strictObject({ filters_arr: SegmentIds, revision }),
      response: groups,
      errors: { ...notDraft, resend_recipients: 409 },
    },
    readExcludedSegments: {
      method: 'GET',
      path: itemPath('exclude_filters'),
      caller: 'account',
      summary: 'List excluded segments',
      params,
      response: groups,
    },
    setExcludedSegments: {
      method: 'POST',
      path: itemPath('exclude_filters/set'),
      caller: 'account',
      summary: 'Set excluded segments',
      params,
      body: z.strictObject({ filters_arr: SegmentIds, revision }),
      response: groups,
      errors: notDraft,
    },
    clearExcludedSegments: {
      method: 'DELETE',
      path: itemPath('exclude_filters/all'),
      caller: 'account',
      summary: 'Remove all excluded segments',
      params,
      response: groups,
      errors: notDraft,
    },
  });
}

function countCalls<const Base extends `/${string}`>(base: Base, kind: Kind) {
  const { itemPath, params } = itemRoutes(base, kind);
  return defineCalls({
    countRecipients: {
      method: 'GET',
      path: itemPath('subscribers'),
      caller: 'account',
      slots: 'count',
      summary: 'Count possible recipients',
      description: 'Every subscriber counts once. Exclusions are listed by reason.',
      params,
      response: dataResponse(Recipients),
    },
  });
}

/**
 * @param base base path of the calls of a kind of broadcast
 * @param kind kind of the ids in these paths
 */
export function recipientCalls<const Base extends `/${string}`>(base: Base, kind: Kind) {
  return {
    ...groupCalls(base, kind),
    ...segmentCalls(base, kind),
    ...countCalls(base, kind),
  };
}
