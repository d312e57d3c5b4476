// Queries for groups, and the URL of a group's members.
import { client } from '#platform/web/api/api.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();
export const LIST_PATH = '/client-api/api/tags';

/**
 * Returns the path of the subscriber list, filtered to one group (the filter grammar's `tag,have`).
 */
export const toMembersPath = (id: string) =>
  `/subscribers?${new URLSearchParams({ filter: `tag,have,${id},1,and,and,` })}`;
