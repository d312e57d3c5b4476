// Routes for groups.
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { calls } from '../contract.ts';
import { deleteGroup, deleteGroupWithSubscribers } from './delete-group.ts';
import * as groups from './groups.ts';

export const groupRoutes: Route[] = createRoutes('groups', calls, {
  listGroups: ({ db, tx, caller, query }) =>
    groups.listGroups(tx, caller.accountId, query.list, db),
  getGroup: ({ tx, caller, params }) => groups.readGroup(tx, caller.accountId, params.id),
  createGroup: ({ tx, caller, body }) => groups.createGroup(tx, caller.accountId, body.title),
  renameGroup: ({ tx, caller, params, body }) =>
    groups.changeGroup(tx, caller.accountId, params.id, body),
  deleteGroup: async ({ db, caller: { accountId, language }, params: { id }, body }) => {
    if (!body.delete_subscribers) {
      await inTransaction(db, (tx) => deleteGroup(tx, accountId, id, language));
      return { success: true as const, deleted_subscribers: 0 };
    }
    const {
      deletedCount,
      isQueued,
      usedBy: retainedBy,
    } = await deleteGroupWithSubscribers(db, accountId, id, language);
    return {
      success: true as const,
      deleted_subscribers: deletedCount,
      ...(isQueued ? { queued: true as const } : {}),
      ...(retainedBy.length > 0 ? { kept_by: retainedBy } : {}),
    };
  },
});
