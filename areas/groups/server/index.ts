// The door of groups: what higher floors may call.
export { deleteGroupJob } from './delete-group.ts';
export { groupDeleted, groupUsedBy, joinedGroup } from './events.ts';
export {
  ensureGroup,
  groupTitles,
  requireGroups,
} from './groups.ts';
export { groupsOfPeople } from './groups.sql.ts';
export {
  addNewPeopleToGroups,
  addToGroups,
  forgetDeleted,
  joinGroups,
  type MembershipChange,
  removeFromGroups,
} from './memberships.ts';
export { choosePublicGroups, publicGroupsOf } from './public-groups.ts';
export { groupRoutes } from './routes.ts';
