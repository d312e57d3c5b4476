// Who a campaign goes to: groups and segments in and out, and how many people that are.
import { z } from 'zod';
import { dataAnswer, defineCalls, idOf } from '#platform/contract.ts';
import { Group, notDraft, params, Recipients } from './campaign-contract.ts';
import { GROUPS_MOST, SEGMENTS_MOST } from './limits.ts';

const GroupIds = z.array(idOf('group')).max(GROUPS_MOST);
const SegmentIds = z.array(idOf('segment')).max(SEGMENTS_MOST);
/** What its owner looked at: where something was saved since, nothing is changed. Each change adds one. */
const revision = z.number().int().positive().optional();
const groups = dataAnswer(z.array(Group));

export const recipientCalls = defineCalls({
  readTags: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/tags',
    who: 'account',
    summary: 'The groups that it goes to',
    params,
    answer: groups,
  },
  setTags: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/tags/set',
    who: 'account',
    summary: 'Chooses the groups that it goes to, or everybody',
    params,
    body: z.strictObject({ tags_arr: GroupIds, send_to_all: z.boolean().optional(), revision }),
    answer: groups,
    errors: { ...notDraft, resend_recipients: 409 },
  },
  readExcludedTags: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/exclude_tags',
    who: 'account',
    summary: 'The groups whose people get no copy, whatever else they are in',
    params,
    answer: groups,
  },
  setExcludedTags: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/exclude_tags/set',
    who: 'account',
    summary: 'Chooses the groups whose people get no copy',
    params,
    body: z.strictObject({ tags_arr: GroupIds, revision }),
    answer: groups,
    errors: notDraft,
  },
  clearExcludedTags: {
    method: 'DELETE',
    path: '/client-api/api/campaigns/{id}/exclude_tags/all',
    who: 'account',
    summary: 'Excludes nobody',
    params,
    answer: groups,
    errors: notDraft,
  },
  readSegments: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/filters',
    who: 'account',
    summary: 'The segments that it goes to',
    params,
    answer: groups,
  },
  setSegments: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/filters/set',
    who: 'account',
    summary: 'Chooses the segments that it goes to, beside its groups; any ends send_to_all',
    params,
    body: z.strictObject({ filters_arr: SegmentIds, revision }),
    answer: groups,
    errors: { ...notDraft, resend_recipients: 409 },
  },
  readExcludedSegments: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/exclude_filters',
    who: 'account',
    summary: 'The segments whose people get no copy, whatever else they are in',
    params,
    answer: groups,
  },
  setExcludedSegments: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/exclude_filters/set',
    who: 'account',
    summary: 'Chooses the segments whose people get no copy',
    params,
    body: z.strictObject({ filters_arr: SegmentIds, revision }),
    answer: groups,
    errors: notDraft,
  },
  clearExcludedSegments: {
    method: 'DELETE',
    path: '/client-api/api/campaigns/{id}/exclude_filters/all',
    who: 'account',
    summary: 'Excludes nobody by segment',
    params,
    answer: groups,
    errors: notDraft,
  },
  countRecipients: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/subscribers',
    who: 'account',
    summary: 'The possible count: each person once, and why others get no copy',
    params,
    answer: dataAnswer(Recipients),
  },
});
