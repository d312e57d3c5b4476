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
  lastFirstAttemptAt,
  singlesByPerson,
  smsDelivered,
  transactionalSingles,
} from './accepted.sql.ts';
export { type PlaceCount, recipientsAsOf } from './audience.sql.ts';
export { writeAudienceJob } from './audience.ts';
export { backlogFigures } from './backlog.ts';
export { contactsSince, readCopyStates, countUnanswered } from './contacts.sql.ts';
export { cancel, pause, pauseFinished, resumeInstance, retry } from './control.ts';
export { readSingle, type SingleCopy } from './copies.ts';
export { notifySenders, readSentBetween, readSentSince, notifyReload } from './messages.sql.ts';
export { countWaits, finalShareAt } from './final-results.sql.ts';
export {
  readMessageAudience,
  type FinishedCampaign,
  finishedCampaigns,
} from './finished-campaigns.sql.ts';
export {
  type Audience,
  countAudience,
  countWithout,
  type NamedValue,
  type NewMessage,
  type NewSingle,
  readyMessage,
  readySingles,
  sendOne,
  start,
} from './messages.ts';
export { countOpenMessages } from './open-messages.sql.ts';
export { type Delivery, readDelivery, readSubject } from './read-delivery.ts';
export { resume } from './resume.ts';
export { actedByHour } from '../waves/hour-effect.sql.ts';
export { findBestHour } from '../waves/send-hours.sql.ts';
export { planWaves, type WavePlan, type WaveRule } from '../waves/wave-plan.ts';
export { readWaveTimes } from '../waves/wave-times.ts';
export { type PaceLimit, replay, type Replayed, type Sent } from '../pace/replay.ts';
export { readSendPace, type SendPace } from '../pace/send-pace.ts';
export { readSentHtml, readSentSingle } from './sent-content.ts';
export { audienceByPlace, costOf, pricesFor, setFreeSms } from './sms-credit.ts';
export {
  countUndelivered,
  lastSmsTo,
  listUndelivered,
  readAnswers,
  readSingleSms,
  readSmsFigures,
  readTransactionalSms,
  type SingleSms,
  sharesByPrefix,
  sharesByProvider,
  type SmsFigures,
  type SmsShare,
} from './sms.sql.ts';
export { accountOfSms, findSmsReference, settleSms } from './sms.ts';
export { stoppedCampaigns } from './stopped.sql.ts';
export {
  cancelStreams,
  type People,
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
export { startGroup, startRest } from '../groups/start-group.ts';
