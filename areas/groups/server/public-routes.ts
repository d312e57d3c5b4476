// Routes for groups in the public API.
import { inTransaction, type Reader } from '#platform/server/database/database.ts';
import { type Handlers, type Route, createRoutes } from '#platform/server/http/serve.ts';
import { presentPage } from '#platform/server/http/v2.ts';
import { formatV2Time } from '#platform/v2-contract.ts';
import type { Group } from '../contract.ts';
import { groupCalls, type PublicGroup } from '../public-contract.ts';
import { deleteGroup, deleteGroupWithSubscribers } from './delete-group.ts';
import * as groups from './groups.ts';

const savedResponse = (message: string, group: Group) => ({
  success: true as const,
  message,
  data: present(group),
});

const handlers: Handlers<typeof groupCalls> = {
  listGroups: async ({ db, tx, caller, query, request }) =>
    presentPage(request, await groups.listGroups(tx, caller.accountId, query.list, db), present),
  getGroup: async ({ tx, caller, params }) => ({
    success: true as const,
    data: present(await groups.readGroup(tx, caller.accountId, params.id)),
  }),
  createGroup: async ({ tx, caller, body }) =>
    savedResponse(
      'Group has been created',
      await groups.createGroup(tx, caller.accountId, body.title),
    ),
  renameGroup: async ({ tx, caller, params, body }) =>
    savedResponse(
      'Group has been renamed',
      await groups.changeGroup(tx, caller.accountId, params.id, body),
    ),
  deleteGroup: async ({ db, caller: { accountId, language }, params: { id }, body }) => {
    if (body.delete_subscribers) await deleteGroupWithSubscribers(db, accountId, id, language);
    else await inTransaction(db, (tx) => deleteGroup(tx, accountId, id, language));
    return { success: true as const, message: 'Group has been deleted' };
  },
};

const routes = createRoutes('groups', groupCalls, handlers);

export const publicGroupRoutes: Route[] = [...routes, ...routes.map(asTagRoute)];

/** Returns the same route at /v2/tags. API documents list it as a separate call. */
function asTagRoute(route: Route): Route {
  const path = route.call.path.replace('/v2/groups', '/v2/tags') as Route['call']['path'];
  return { ...route, name: `${route.name}AsTag`, call: { ...route.call, path } };
}

/** Returns groups by ID, as the public API presents them. */
export async function readPublicGroups(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, PublicGroup>> {
  const groupRows = await groups.readGroups(db, accountId, ids);
  return new Map([...groupRows].map(([id, group]) => [id, present(group)]));
}

function present(group: Group): PublicGroup {
  const { is_public: _, ...publicFields } = group;
  return {
    ...publicFields,
    user_id: null,
    created: formatV2Time(group.created),
    modified: formatV2Time(group.modified),
    is_recalculating_subscribers: false,
    is_favourite: false,
    used_in_integration: false,
  };
}
