// Public interface of the delivery ledger: messages, audiences, their control, and the outcome of
// each copy.
export { setProviderCap } from '../caps/provider-caps.ts';
export {
  addReady,
  nextSingleIds,
  type ReadySingle,
  type ReadySingles,
} from '../singles/add-singles.sql.ts';
export { findSingle, readSingleValues } from '../singles/singles.sql.ts';
export { sendCopies, sendTest } from '../singles/test-emails.ts';
export {
  acceptedByPerson,
  acceptedCopies,
  copiesNotAccepted,
  countRecipients,
  isCompacted,
  findLastFirstAttemptAt,
  singlesByPerson,
  smsDelivered,
  transactionalSingles,
} from './accepted.sql.ts';
export { type PlaceCount, selectRecipientsAsOf } from './audience.sql.ts';
export { writeAudienceJob } from './audience.ts';
export { createBacklogFigures } from './backlog.ts';
export { listContactsSince, readCopyStates, countUnanswered } from './contacts.sql.ts';
export {
  cancelMessage,
  pauseMessage,
  pauseFinishedExperiment,
  resumeInstance,
  retryMessage,
} from './control.ts';
export { readSingle, type SingleCopy } from './copies.ts';
export { notifySenders, readSentBetween, readSentSince, notifyReload } from './messages.sql.ts';
export { countWaits, finalShareAt } from './final-results.sql.ts';
export {
  readMessageAudience,
  type FinishedCampaign,
  listFinishedCampaigns,
} from './finished-campaigns.sql.ts';
export {
  type Audience,
  countAudience,
  countWithout,
  type NamedValue,
  type NewMessage,
  type NewSingle,
  findOrCreateMessage,
  toReadySingles,
  sendOne,
  startSending,
} from './messages.ts';
export { countOpenMessages } from './open-messages.sql.ts';
export { type MessageDelivery, readDelivery, readSubject } from './read-delivery.ts';
export { resumeMessage } from './resume.ts';
export { readActionsByHour } from '../waves/hour-effect.sql.ts';
export { findBestHour } from '../waves/send-hours.sql.ts';
export { planWaves, type WavePlan, type WaveRule } from '../waves/wave-plan.ts';
export { readWaveTimes } from '../waves/wave-times.ts';
export { type PaceLimit, replaySending, type ReplayResult, type SentSlot } from '../pace/replay.ts';
export { readSendPace, type SendPace } from '../pace/send-pace.ts';
export { readSentHtml, readSentSingle } from './sent-content.ts';
export { countAudienceByPlace, computeCost, pricesFor, setFreeSms } from './sms-credit.ts';
export {
  countUndelivered,
  findLastSmsTo,
  listUndelivered,
  readAnswers,
  readSingleSms,
  readSmsFigures,
  readTransactionalSms,
  type SingleSms,
  readCountsByPrefix,
  readCountsByProvider,
  type SmsFigures,
  type SmsShare,
} from './sms.sql.ts';
export { findAccountOfSms, findSmsReference, settleSms } from './sms.ts';
export { listStoppedCampaigns } from './stopped.sql.ts';
export {
  cancelStreams,
  type StreamRecipients,
  pauseStreams,
  resumeStreams,
  type Sources,
  sendMany,
} from './streams.ts';
export {
  findFirstAttempts,
  listHeldOutSubscribers,
  findLead,
  findMessagesByLead,
  findMessagesOfLead,
  listRecipientsOf,
} from '../groups/groups.sql.ts';
export { startGroup, startRemainingMessage } from '../groups/start-group.ts';
