// The public interface of subscribers for other areas.
import { fieldDeleted } from '#areas/fields/server/index.ts';
import { type Area, on } from '#platform/server/area.ts';
import { addJob } from '#platform/server/jobs/jobs.ts';
import { purgeJob, purgePoller, removeFieldValuesJob } from './remove.ts';
import { reachResponse, subscribersUsed } from './usage.ts';

export const area: Area = {
  name: 'subscribers',
  description: 'Stored subscribers, their statuses and consents.',
  jobs: [purgeJob, removeFieldValuesJob],
  pollers: [purgePoller],
  eventHandlers: [on(fieldDeleted, (tx, payload) => addJob(tx, removeFieldValuesJob, payload))],
  questionHandlers: [subscribersUsed, reachResponse],
};

export {
  combinePredicates,
  listSelectedAfter,
  countChosen,
  hasOneOfIds,
  type SubscriberPredicate,
  existedAt,
} from './selections.sql.ts';
export { parseEmail } from './email-address.ts';
export { isUnderestimated, refreshEstimates } from './estimates.sql.ts';
export * from './events.ts';
export { setFieldValue } from './field-values.ts';
export { type ForecastSample, forecastRecords } from './import-forecast.ts';
export { applyOptOuts, hasOptOut } from './import-opt-outs.ts';
export { mapIdsByAddress } from './import-people.sql.ts';
export { importRecords } from './import-people.ts';
export { deleteUndoImages, findCreatedByImport } from './import-undo.sql.ts';
export { restoreImported } from './import-undo.ts';
export type { ImportedRecord, ImportBatch, ImportBatchResult } from './imported-people.ts';
export {
  listAllSuppressions,
  findSuppression,
  liftSuppression,
  readSuppressions,
  type Suppression,
} from './listed-suppressions.ts';
export { type SuppressedAddresses, suppressAddresses, type OptOut } from './opt-outs.ts';
export { findMailboxOfExchanger } from './email-hosts.ts';
export { assignMailboxes, listHostedDomains } from './email-hosts.sql.ts';
export { pauseSubscriber } from './pauses.sql.ts';
export { findEmailKeyOfDeleted, type SubscriberRow } from './people.sql.ts';
export {
  createSubscriber,
  type FieldValue,
  type FoundAmong,
  resolveAddresses,
  findSubscriber,
  type NewSubscriber,
  type SubscriberInput,
  readSubscriber,
  readSubscribers,
  updateSubscriber,
  upsertSubscriber,
} from './people.ts';
export {
  PHONE_PREFIX_LENGTH,
  type PhoneIssue,
  parsePhone,
  findPhoneCountry,
  setFictionalNumbers,
} from './phone-number.ts';
export { deleteSubscribers, eraseSubscribers } from './remove.ts';
export { type ListedSubscriber, upsertSubscribers } from './save-many.ts';
export { searchCondition } from './search.sql.ts';
export {
  readConsentDates,
  listConsents,
  listStatusChanges,
  insertConsents,
} from './statuses.sql.ts';
export {
  activateByApi,
  bounce,
  complain,
  confirm,
  type SubscriberSet,
  type Reactivation,
  reactivate,
  resubscribeByStore,
  unsubscribe,
} from './statuses.ts';
export {
  isSuppressed,
  suppress,
  findSuppressedAmong,
  findSuppressedOn,
  findSuppressionReasons,
} from './suppression.ts';
export { suppressionHash, suppressionHashPads } from './suppression-hash.ts';
export { type SubscriberLocation, resolveSubscriberZone, listZonesIn } from './time-zones.ts';
export { addStoreSubscribers, fillNames, type StoreSubscriber } from './store-customers.ts';
export { undoUnsubscribe } from './undo-unsubscribe.ts';
export { readReachDays } from './reach-times.ts';
export { readReach } from './usage.sql.ts';
