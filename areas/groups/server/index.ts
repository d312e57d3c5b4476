// The public interface of groups for higher areas.
import { subscribersDeleted } from '#areas/subscribers/server/index.ts';
import { type Area, handleQuestion, on } from '#platform/server/area.ts';
import { deleteGroupJob } from './delete-group.ts';
import { deleteMembershipsOfDeleted } from './memberships.ts';
import { publicGroupRoutes } from './public-routes.ts';
import { groupRoutes } from './routes.ts';
import { searchQuestion, searchIn } from '#platform/server/search/search.ts';
import { addressesErased, eraseFromTexts } from '#platform/server/erasure/erasure.ts';
import { listSearchableGroups, rewriteGroups } from './groups.sql.ts';

export const area: Area = {
  name: 'groups',
  description: 'Groups: fixed lists of subscribers, called `tags` in paths.',
  routes: [...groupRoutes, ...publicGroupRoutes],
  jobs: [deleteGroupJob],
  eventHandlers: [
    on(subscribersDeleted, deleteMembershipsOfDeleted),
    on(addressesErased, eraseFromTexts(rewriteGroups)),
  ],
  questionHandlers: [
    handleQuestion(searchQuestion, searchIn('group', 'group', listSearchableGroups)),
  ],
};

export { groupCreated, groupDeleted, groupUsedBy, joinedGroup, leftGroup } from './events.ts';
export { findGroupsByKey, findGroupsOfSubscribers } from './groups.sql.ts';
export { type GroupGrowth, readGroupGrowth, listRecentlyModifiedGroupIds } from './growth.ts';
export {
  ensureGroup,
  findGroupsByTitle,
  readGroupTitles,
  requireGroups,
} from './groups.ts';
export {
  addNewSubscribersToGroups,
  addToGroups,
  joinGroups,
  removeFromGroups,
  publishJoined,
} from './memberships.ts';
export { choosePublicGroups, listPublicGroups } from './public-groups.ts';
export { readPublicGroups } from './public-routes.ts';
