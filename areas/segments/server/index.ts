// The public interface of segments for higher areas.
import { customEventUsedBy } from '#areas/events/server/index.ts';
import { fieldUsedBy } from '#areas/fields/server/index.ts';
import { groupUsedBy } from '#areas/groups/server/index.ts';
import { subscribersErased } from '#areas/subscribers/server/index.ts';
import { type Area, handleQuestion, on } from '#platform/server/area.ts';
import { countSegmentsJob } from './counting.ts';
import { eraseNamed } from './erase-people.ts';
import { publicSegmentRoutes } from './public-routes.ts';
import { segmentRoutes } from './routes.ts';
import { findSegmentsUsingEvent, findSegmentsUsingField, findSegmentsUsingGroup } from './usage.ts';
import { searchQuestion } from '#platform/server/search/search.ts';
import { searchSegments } from './search.ts';

export { filterMatching } from './matching.ts';

export const area: Area = {
  name: 'segments',
  description: 'Segments: subscribers who match conditions, called `filters` in paths.',
  routes: [...segmentRoutes, ...publicSegmentRoutes],
  jobs: [countSegmentsJob],
  eventHandlers: [on(subscribersErased, eraseNamed)],
  questionHandlers: [
    handleQuestion(searchQuestion, searchSegments),
    handleQuestion(fieldUsedBy, findSegmentsUsingField),
    handleQuestion(groupUsedBy, findSegmentsUsingGroup),
    handleQuestion(customEventUsedBy, findSegmentsUsingEvent),
  ],
};

export { compileConditions } from './compile.ts';
export { inactive, inactiveSince } from './email-conditions.ts';
export {
  campaignsNamed,
  segmentDeleted,
  segmentInForce,
  segmentUsedBy,
  smsCampaignsNamed,
  type WasSent,
  wasSent,
} from './events.ts';
export { toAuditedConditions } from './audited-conditions.ts';
export { eraseAddresses, eraseAddressesInFilter } from './erase-people.ts';
export { describeConditions } from './speak.ts';
export { type Gap, isAmong } from './bits.ts';
export { readCountingContext, findLargeGaps, readContext } from './read-context.ts';
export { ensureSegment } from './segments.ts';
export { shareSegments } from './segments.sql.ts';
export {
  filterBrokenSegments,
  compileAnyOf,
  namesEvent,
  namesField,
  namesGroup,
  readSegmentConditions,
  findSegmentsAmong,
} from './usage.ts';
