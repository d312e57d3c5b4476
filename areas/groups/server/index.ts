// The public interface of groups for higher areas.
import { subscribersDeleted } from '#areas/subscribers/server/index.ts';
import { type Area, answer, on } from '#platform/server/area.ts';
import { deleteGroupJob } from './delete-group.ts';
import { removeDeleted } from './memberships.ts';
import { publicGroupRoutes } from './public-routes.ts';
import { groupRoutes } from './routes.ts';
import { searched, searchIn } from '#platform/server/search/search.ts';
import { searchableGroups } from './groups.sql.ts';

export const area: Area = {
  name: 'groups',
  routes: [...groupRoutes, ...publicGroupRoutes],
  jobs: [deleteGroupJob],
  listens: [on(subscribersDeleted, removeDeleted)],
  answers: [answer(searched, searchIn('group', 'group', searchableGroups))],
};

export { groupCreated, groupDeleted, groupUsedBy, joinedGroup, leftGroup } from './events.ts';
export { groupsByKey, findGroupsOfSubscribers, rewriteGroups } from './groups.sql.ts';
export { type GroupGrowth, groupGrowth, listRecentlyModifiedGroupIds } from './growth.ts';
export {
  ensureGroup,
  groupsNamed,
  groupTitles,
  requireGroups,
} from './groups.ts';
export {
  addNewSubscribersToGroups,
  addToGroups,
  joinGroups,
  removeFromGroups,
  publishJoined,
} from './memberships.ts';
export { choosePublicGroups, publicGroupsOf } from './public-groups.ts';
export { publicGroups } from './public-routes.ts';
