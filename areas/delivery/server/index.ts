// The door of delivery: what other areas may call.
import { imagesSent } from '#areas/content/server/index.ts';
import { domainsProven } from '#areas/domains/server/index.ts';
import { peopleInUse } from '#areas/imports/server/index.ts';
import { wasSent } from '#areas/segments/server/index.ts';
import { subscribersErased, subscribersPurged } from '#areas/subscribers/server/index.ts';
import {
  acceptedAt,
  copiesFailed,
  linkTarget,
  messageSender,
} from '#areas/tracking/server/index.ts';
import { type Area, answer, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { allowancesPoller } from './allowances.ts';
import { writeAudienceJob } from './audience.ts';
import { tellWasSent } from './audience.sql.ts';
import { breakerPoller } from './breaker.ts';
import { compactionPoller } from './compaction.ts';
import { tellAcceptance, tellLinkTarget, tellSender } from './copies.ts';
import { messageFailed } from './events.ts';
import { forgetAudiences } from './forget-audiences.ts';
import { forgetRecipients } from './forget-people.sql.ts';
import type { HookReader } from './hook-provider.ts';
import { readAnew } from './messages.sql.ts';
import type { RelayKinds } from './relay-kinds.ts';
import { relayRoutes } from './relay-routes.ts';
import { fullAtHandOver } from './returns/full-mailboxes.ts';
import { hooksPlugin } from './returns/hooks-plugin.ts';
import type { InstanceKeys } from './returns/instance-hooks.ts';
import { webhookRoutes } from './returns/webhook-routes.ts';
import { tellSentImages } from './sent-images.sql.ts';
import { configureDelivery } from './settings.ts';
import { viewInBrowserPlugin } from './view-in-browser.ts';
import { whyRoutes } from './why/why-routes.ts';
import { writtenPeople } from './written-people.sql.ts';

/** Whose webhooks are understood, what tells of the installation's own relays, how accounts' own are opened. */
export type DeliveryProviders = {
  hookReaders: readonly HookReader[];
  instanceKeys: InstanceKeys;
  relayKinds: RelayKinds;
};

export function area(config: Config, providers: DeliveryProviders): Area {
  const { hookReaders, instanceKeys, relayKinds } = providers;
  return {
    name: 'delivery',
    routes: [
      ...relayRoutes(relayKinds),
      ...whyRoutes,
      ...webhookRoutes({ readers: hookReaders, publicUrl: config.publicUrl }),
    ],
    plugins: [viewInBrowserPlugin, hooksPlugin(hookReaders, instanceKeys)],
    jobs: [writeAudienceJob],
    pollers: [compactionPoller(config.ledgerDays), breakerPoller, allowancesPoller],
    listens: [
      on(domainsProven, readAnew),
      on(subscribersErased, forgetRecipients),
      on(subscribersErased, forgetAudiences),
      on(subscribersPurged, forgetRecipients),
      on(messageFailed, copiesFailed),
      on(messageFailed, fullAtHandOver),
    ],
    answers: [
      answer(wasSent, tellWasSent),
      answer(peopleInUse, writtenPeople),
      answer(imagesSent, tellSentImages),
      answer(acceptedAt, tellAcceptance),
      answer(messageSender, tellSender),
      answer(linkTarget, tellLinkTarget),
    ],
    setUp: () =>
      configureDelivery({
        bounceDomain: config.bounceDomain,
        alignsReturnPath: config.returnPath !== undefined,
        needsVerifiedSender: config.smtpUrl !== undefined,
      }),
  };
}

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
export { readSentBetween } from './messages.sql.ts';
export { cancel, pause, resume, resumeInstance, retry } from './control.ts';
export {
  type MessageFacts,
  messageChanged,
  messageFinished,
  messageHalted,
  messageProgressed,
  messageStarted,
  singlesAccepted,
} from './events.ts';
export type { HookReader } from './hook-provider.ts';
export type { InstanceKeys } from './returns/instance-hooks.ts';
export {
  type ReturnedMail,
  takeReturnedMail,
  takesMailFor,
} from './returns/returned-mail.ts';
export { type Delivery, readDelivery, subjectOf } from './read-delivery.ts';
export type { PooledRelay } from './pooled-relay.ts';
export type { OpenRelay } from './provider.ts';
export type { RelayKinds, RelaySettings } from './relay-kinds.ts';
export { isAmazonSes, paceKeyOf } from './pooled-relay.ts';
export { copyFieldsOf } from './copy-fields.ts';
export { providerOfHost } from './provider-hosts.ts';
export { openPool, soleRelay } from './relay-pool.ts';
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
export { writeAudienceJob } from './audience.ts';
export { readSentHtml } from './sent-mail.ts';
export { needsProof } from './sender-proof.ts';
export { stoppedCampaigns } from './stopped.sql.ts';
export { newSenderDomain } from './warm-up-plans.ts';
export { unwantedTests } from './test-recipients.ts';
