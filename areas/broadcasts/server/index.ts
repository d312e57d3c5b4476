// Public interface of broadcasts: one lifecycle for all messages to many subscribers at a time,
// email or SMS.
import type { Area } from '#platform/server/area.ts';
import { windowRoutes } from './timing/routes.ts';

/**
 * Registers only the routes of the sending window. The areas of each kind of broadcast (campaigns
 * and sms) register all other routes, and the pollers.
 */
export const area: Area = {
  name: 'broadcasts',
  description: 'The sending window: the hours at which campaigns may be sent.',
  routes: windowRoutes,
};

export type { BroadcastAdapter, BroadcastReview, OccurrenceChanges } from './adapter.ts';
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
export {
  checkRevision,
  dropPassedSchedule,
  getBroadcastRow,
  isLate,
  listBroadcasts,
  lockBroadcast,
  requireDraft,
  requireEditable,
  toStepChange,
} from './broadcasts.ts';
export {
  calendarEntries,
  createPlannedBroadcasts,
  listRecurringBroadcasts,
  NO_EXTRAS,
  type PlannedRange,
  recurring,
} from './calendar-entries.ts';
export { presentDelivery } from './delivery.ts';
export { createDuePoller, startDue } from './due.ts';
export { processAccounts } from './each-account.ts';
export {
  broadcastFinished,
  broadcastNotStarted,
  experimentDecided,
  experimentWaits,
} from './events.ts';
export type { ExperimentAdapter } from './experiments/adapter.ts';
export { copyExperiment, insertExperiment } from './experiments/draft.ts';
export { checkDue, createExperimentPoller } from './experiments/experiment-poller.ts';
export {
  findExperiments,
  findVariant,
  findVariants,
  updateVariant,
  waitsForWinner,
} from './experiments/experiments.sql.ts';
export { experimentRoutes } from './experiments/routes.ts';
export { excludeHoldout, hasLaterParts } from './experiments/start.ts';
export { extendUntilRemainder, readExperimentSummaries } from './experiments/summary.ts';
export { readBroadcasts, readEach, withMessages } from './figures.ts';
export { cancel, schedule, startNow } from './lifecycle.ts';
export { createListeners } from './listeners.ts';
export { withPlacesAndRevenue } from './placement-and-revenue.ts';
export { copyChosen, deleteChosen, readChosen, unscheduleRemoved } from './recipients.sql.ts';
export {
  countRecipients,
  findBrokenSegments,
  readRecipientChoices,
  resolveAudience,
  setGroups,
  setSegments,
} from './recipients.ts';
export { broadcastRoutes } from './routes.ts';
export { continueSeries, readSeriesOfRows } from './series.ts';
export { createOccurrences, createSeriesPoller } from './series-poller.ts';
export { getTiming } from './timing/rules.ts';
export { resolveWavesNow } from './timing/timing.ts';
export { listBroadcastsReading } from './uses.ts';
