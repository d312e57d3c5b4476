// The door of groups: what higher floors may call.
export { groupDeleted, groupUsedBy, joinedGroup, leftGroup } from './events.ts';
export {
  createGroup,
  ensureGroup,
  groupTitles,
  readGroup,
  requireGroups,
} from './groups.ts';
export { audienceOf, groupsOfPeople, isInGroups } from './groups.sql.ts';
export {
  addNewPeopleToGroups,
  addToGroups,
  forgetDeleted,
  type MembershipChange,
  removeFromGroups,
} from './memberships.ts';
export { groupRoutes } from './routes.ts';
