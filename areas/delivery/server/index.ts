// The door of delivery: what other areas may call.
export {
  countAudience,
  countWithout,
  type Audience,
  type NamedValue,
  type NewMessage,
  type NewSingle,
  sendOne,
  start,
} from './messages.ts';
export { readAnew, readSentBetween } from './messages.sql.ts';
export { allowancesPoller } from './allowances.ts';
export { breakerPoller } from './breaker.ts';
export { cancel, pause, resume, resumeInstance, retry } from './control.ts';
export {
  type MessageFacts,
  messageChanged,
  messageFailed,
  messageFinished,
  messageHalted,
  messageProgressed,
  messageStarted,
  singlesAccepted,
} from './events.ts';
export { fullAtHandOver } from './returns/full-mailboxes.ts';
export type { HookReader } from './hook-provider.ts';
export { hooksPlugin } from './returns/hooks-plugin.ts';
export type { InstanceKeys } from './returns/instance-hooks.ts';
export {
  type ReturnedMail,
  takeReturnedMail,
  takesMailFor,
} from './returns/returned-mail.ts';
export { webhookRoutes } from './returns/webhook-routes.ts';
export { type Delivery, readDelivery, subjectOf } from './read-delivery.ts';
export type { PooledRelay } from './pooled-relay.ts';
export type { OpenRelay } from './provider.ts';
export type { RelayKinds, RelaySettings } from './relay-kinds.ts';
export { isAmazonSes, paceKeyOf } from './pooled-relay.ts';
export { copyFieldsOf } from './copy-fields.ts';
export { providerOfHost } from './provider-hosts.ts';
export { openPool, soleRelay } from './relay-pool.ts';
export { relayRoutes } from './relay-routes.ts';
export { runSender, type RunningSender, type SenderLimits } from './sender.ts';
export { runSenders } from './senders.ts';
export { checkRelays, sendingFigures } from './sending-figures.ts';
export { configureDelivery, type DeliverySettings } from './settings.ts';
export {
  acceptedByPerson,
  acceptedCopies,
  isCompacted,
  lastFirstAttemptAt,
  singlesByPerson,
} from './accepted.sql.ts';
export { compactionPoller } from './compaction.ts';
export { writeAudienceJob } from './audience.ts';
export { tellWasSent } from './audience.sql.ts';
export { tellAcceptance, tellSender, tellLinkTarget } from './copies.ts';
export { forgetAudiences } from './forget-audiences.ts';
export { forgetRecipients } from './forget-people.sql.ts';
export { tellSentImages } from './sent-images.sql.ts';
export { readSentHtml } from './sent-mail.ts';
export { needsProof } from './sender-proof.ts';
export { writtenPeople } from './written-people.sql.ts';
export { whyRoutes } from './why/why-routes.ts';
export { stoppedCampaigns } from './stopped.sql.ts';
export { newSenderDomain } from './warm-up-plans.ts';
export { viewInBrowserPlugin } from './view-in-browser.ts';
export { unwantedTests } from './test-recipients.ts';
