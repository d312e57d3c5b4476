// Public interface of delivery for other areas.

import { emailsStay } from '#areas/accounts/server/index.ts';
import { planChanged } from '#areas/billing/server/index.ts';
import { filesAwaited, imagesSent } from '#areas/content/server/index.ts';
import { domainsChanged } from '#areas/domains/server/index.ts';
import { subscribersInUse } from '#areas/imports/server/index.ts';
import { wasSent } from '#areas/segments/server/index.ts';
import { subscribersErased, subscribersPurged } from '#areas/subscribers/server/index.ts';
import {
  acceptedAt,
  onMessageFailed,
  copyMailboxes,
  linkTarget,
  messageSender,
} from '#areas/tracking/server/index.ts';
import { type Area, handleQuestion, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { getMessageKindRules } from '../message-kinds.ts';
import { messageFailed } from './events.ts';
import { onFullMailboxAtHandoff } from './feedback/full-mailboxes.ts';
import type { HookReader } from './feedback/hook-provider.ts';
import { hooksPlugin } from './feedback/hooks-plugin.ts';
import type { InstanceKeys } from './feedback/instance-hooks.ts';
import { webhookRoutes } from './feedback/webhook-routes.ts';
import { writeAudienceJob } from './ledger/audience.ts';
import { audienceJobsPoller } from './ledger/audience-jobs.ts';
import { findAwaitedFiles } from './ledger/awaited-files.sql.ts';
import { breakerPoller } from './ledger/breaker.ts';
import { compactionPoller } from './ledger/compaction.ts';
import { findAcceptances, findLinkTarget, findMailboxes, findSender } from './ledger/copies.ts';
import { eraseFromAudiences } from './ledger/erase-audiences.ts';
import { eraseRecipients } from './ledger/erase-people.sql.ts';
import { findMessagedSubscribers } from './ledger/messaged-people.sql.ts';
import { notifyReload } from './ledger/messages.sql.ts';
import { enforcePlan, planLimitsPoller } from './ledger/plan-limits.ts';
import { findWasSent } from './ledger/selection.sql.ts';
import { findSentImages } from './ledger/sent-images.sql.ts';
import { messagesUsed } from './ledger/usage.ts';
import { viewInBrowserPlugin } from './ledger/view-in-browser.ts';
import { allowancesPoller } from './relays/allowances.ts';
import type { RelayKinds } from './relays/relay-kinds.ts';
import { relayRoutes } from './relays/relay-routes.ts';
import { findEmailsWithoutRelay } from './relays/relays.ts';
import { configureDelivery } from './settings.ts';
import { deleteSendHours } from './waves/send-hours.sql.ts';
import { sendHoursPoller } from './waves/send-hours.ts';
import { wavesPoller } from './waves/waves.ts';
import { whyRoutes } from './why/why-routes.ts';
import {
  contentsNamingAddresses,
  addressesErased,
  eraseFromTexts,
} from '#platform/server/erasure/erasure.ts';
import { findRelaysNaming, rewriteRelays } from './relays/relays.sql.ts';

/**
 * What main/ provides: readers of provider webhooks, signing keys of the webhooks for the
 * installation's relays, and functions for each kind of account relay.
 */
export type DeliveryProviders = {
  hookReaders: readonly HookReader[];
  instanceKeys: InstanceKeys;
  relayKinds: RelayKinds;
};

type FailedMessage = Parameters<Parameters<typeof messageFailed.on>[0]>[1];

const deleteHoursOf = (
  tx: Tx,
  { accountId, subscriberIds }: { accountId: number; subscriberIds: readonly number[] },
) => deleteSendHours(tx, accountId, subscriberIds);

/**
 * Limits a handler to emails because a failed SMS says nothing about the email address.
 */
const forEmails =
  (handler: (tx: Tx, event: FailedMessage) => Promise<void>) =>
  async (tx: Tx, event: FailedMessage): Promise<void> => {
    if (getMessageKindRules(event.kind).channel === 'email') await handler(tx, event);
  };

export function area(config: Config, providers: DeliveryProviders): Area {
  const { hookReaders, instanceKeys, relayKinds } = providers;
  return {
    name: 'delivery',
    description: 'Email relays and the warm-up of sending domains.',
    routes: [
      ...relayRoutes(relayKinds),
      ...whyRoutes,
      ...webhookRoutes({ readers: hookReaders, publicUrl: config.publicUrl }),
    ],
    plugins: [viewInBrowserPlugin, hooksPlugin(hookReaders, instanceKeys)],
    jobs: [writeAudienceJob],
    pollers: [
      audienceJobsPoller,
      compactionPoller(config.ledgerDays),
      breakerPoller,
      allowancesPoller,
      planLimitsPoller,
      wavesPoller,
      sendHoursPoller,
    ],
    eventHandlers: [
      on(domainsChanged, notifyReload),
      on(planChanged, (tx, { accountId }) => enforcePlan(tx, accountId)),
      on(subscribersErased, eraseRecipients),
      on(subscribersErased, eraseFromAudiences),
      on(subscribersErased, deleteHoursOf),
      on(subscribersPurged, deleteHoursOf),
      on(subscribersPurged, eraseRecipients),
      on(addressesErased, eraseFromTexts(rewriteRelays)),
      on(messageFailed, forEmails(onMessageFailed)),
      on(messageFailed, forEmails(onFullMailboxAtHandoff)),
    ],
    questionHandlers: [
      handleQuestion(contentsNamingAddresses, findRelaysNaming),
      messagesUsed,
      handleQuestion(emailsStay, findEmailsWithoutRelay),
      handleQuestion(wasSent, findWasSent),
      handleQuestion(subscribersInUse, findMessagedSubscribers),
      handleQuestion(imagesSent, findSentImages),
      handleQuestion(filesAwaited, findAwaitedFiles),
      handleQuestion(acceptedAt, findAcceptances),
      handleQuestion(copyMailboxes, findMailboxes),
      handleQuestion(messageSender, findSender),
      handleQuestion(linkTarget, findLinkTarget),
    ],
    setUp: () =>
      configureDelivery({
        bounceDomain: config.bounceDomain,
        alignsReturnPath: config.returnPath !== undefined,
        needsVerifiedSender: config.smtpUrl !== undefined,
        hasInbox: config.smtpUrl === undefined && !config.isProduction,
      }),
  };
}

export { channelOfKind } from '../message-kinds.ts';
export {
  type DeliveryEvent as MessageFacts,
  messageChanged,
  messageFailed,
  messageFinished,
  messageHalted,
  messageProgressed,
  messageReturned,
  messageStarted,
  singlesAccepted,
  smsDelivered,
} from './events.ts';
export { configureDelivery } from './settings.ts';
