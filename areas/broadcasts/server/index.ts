// Public interface of broadcasts: one lifecycle for all messages to many subscribers at a time,
// email or SMS.
import type { Area } from '#platform/server/area.ts';
import { windowRoutes } from './timing/routes.ts';

/**
 * Routes and pollers are registered by the owners (campaigns and sms), which add their own parts.
 */
export const area: Area = {
  name: 'broadcasts',
  description: 'The sending window: the hours at which campaigns may be sent.',
  routes: windowRoutes,
};

export {
  getBroadcastRow,
  toStepChange,
  checkRevision,
  dropPassedSchedule,
  isLate,
  listBroadcasts,
  lockBroadcast,
  requireEditable,
  requireDraft,
} from './broadcasts.ts';
export type { BroadcastReview } from './adapter.ts';
export { broadcastApprovals } from './approval-kinds.ts';
export {
  findLastSent,
  findRow,
  insertRow,
  listMessagesOfBroadcasts,
  listNewestMessages,
  undeleteRow,
  updateRow,
} from './broadcasts.sql.ts';
export { presentDelivery } from './delivery.ts';
export { createDuePoller, startDue } from './due.ts';
export { copyExperiment, insertExperiment } from './experiments/draft.ts';
export {
  findExperiments,
  findVariant,
  findVariants,
  updateVariant,
  waitsForWinner,
} from './experiments/experiments.sql.ts';
export type { ExperimentAdapter } from './experiments/adapter.ts';
export { createExperimentPoller, checkDue } from './experiments/experiment-poller.ts';
export { broadcastFinished, experimentDecided, experimentWaits } from './events.ts';
export { readBroadcasts, readEach, withMessages } from './figures.ts';
export { readExperimentSummaries, extendUntilRemainder } from './experiments/summary.ts';
export { experimentRoutes } from './experiments/routes.ts';
export { hasLaterParts, excludeHoldout } from './experiments/start.ts';
export { processAccounts } from './each-account.ts';
export { cancel, schedule, startNow } from './lifecycle.ts';
export { withPlacesAndRevenue } from './placement-and-revenue.ts';
export { createListeners } from './listeners.ts';
export type { BroadcastAdapter, OccurrenceChanges } from './adapter.ts';
export {
  resolveAudience,
  findBrokenSegments,
  readRecipientChoices,
  countRecipients,
  setGroups,
  setSegments,
} from './recipients.ts';
export { copyChosen, deleteChosen, readChosen, unscheduleRemoved } from './recipients.sql.ts';
export { broadcastRoutes } from './routes.ts';
export { getTiming } from './timing/rules.ts';
export { resolveWavesNow } from './timing/timing.ts';
export { listBroadcastsReading } from './uses.ts';
export { continueSeries, readSeriesOfRows } from './series.ts';
export {
  NO_EXTRAS,
  calendarEntries,
  createPlannedBroadcasts,
  type PlannedRange,
  recurring,
  listRecurringBroadcasts,
} from './calendar-entries.ts';
export { createOccurrences, createSeriesPoller } from './series-poller.ts';
