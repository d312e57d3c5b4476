// Which areas and providers this product is made of: routes, jobs, and who hears which event.
import type { FastifyPluginAsync } from 'fastify';
import {
  accountRoutes,
  type AddressProvider,
  addressRoutes,
  forgottenPasswordJob,
  housekeepingPoller,
  invitationSent,
  letterNeeded,
  settingsRoutes,
  signInChanged,
} from '#areas/accounts/server/index.ts';
import {
  audienceRoutes,
  bulkActJob,
  bulkActsUsingField,
  bulkActsUsingGroup,
} from '#areas/audience/server/index.ts';
import {
  campaignChanged,
  campaignFinished,
  campaignNotStarted,
  campaignPoller,
  campaignRoutes,
  campaignStarted,
  campaignsFromDomain,
  campaignsUsingField,
  campaignsUsingGroup,
  campaignsUsingImage,
  campaignsUsingSegment,
  forgetGroup,
  forgetSegment,
  resendPoller,
  type SendingOptions,
  tellCampaigns,
} from '#areas/campaigns/server/index.ts';
import { dashboardRoutes } from '#areas/dashboard/server/index.ts';
import {
  contentRoutes,
  imagesPlugin,
  imagesPoller,
  imagesSent,
  imageUsedBy,
} from '#areas/content/server/index.ts';
import {
  allowancesPoller,
  breakerPoller,
  compactionPoller,
  configureDelivery,
  forgetAudiences,
  forgetRecipients,
  fullAtHandOver,
  messageChanged,
  messageFailed,
  messageFinished,
  messageHalted,
  messageProgressed,
  messageStarted,
  readAnew,
  relayRoutes,
  tellAcceptance,
  tellLinkTarget,
  tellSender,
  tellSentImages,
  tellWasSent,
  viewInBrowserPlugin,
  webhookRoutes,
  whyRoutes,
  writeAudienceJob,
  writtenPeople,
} from '#areas/delivery/server/index.ts';
import {
  domainLetterNeeded,
  type DomainTools,
  domainPoller,
  domainRoutes,
  domainsProven,
  domainUsedBy,
  newResolver,
} from '#areas/domains/server/index.ts';
import {
  exportJob,
  exportReady,
  exportRoutes,
  exportsPoller,
  forgetExported,
} from '#areas/exports/server/index.ts';
import { fieldDeleted, fieldRoutes, fieldUsedBy } from '#areas/fields/server/index.ts';
import {
  deleteGroupJob,
  forgetDeleted,
  groupDeleted,
  groupRoutes,
  groupUsedBy,
} from '#areas/groups/server/index.ts';
import {
  configureListProviders,
  fetchJob,
  forecastJob,
  forgetImported,
  importJob,
  importRoutes,
  importsUsingField,
  peopleInUse,
  undoJob,
  uploadsPoller,
} from '#areas/imports/server/index.ts';
import { letterHandlers } from '#areas/letters/server/index.ts';
import { prepareSums, refreshSumsJob, reportRoutes } from '#areas/reports/server/index.ts';
import { smsRoutes } from '#areas/sms/server/index.ts';
import {
  campaignsNamed,
  countSegmentsJob,
  forgetNamed,
  segmentDeleted,
  segmentRoutes,
  segmentsUsingField,
  segmentsUsingGroup,
  segmentUsedBy,
  wasSent,
} from '#areas/segments/server/index.ts';
import { forgetShoppers, storeRoutes } from '#areas/stores/server/index.ts';
import {
  purgeJob,
  purgePoller,
  removeFieldValuesJob,
  subscribersDeleted,
  subscribersErased,
  subscribersPurged,
  subscribersUnsubscribed,
} from '#areas/subscribers/server/index.ts';
import {
  acceptedAt,
  copiesFailed,
  forgetPeople,
  linkTarget,
  messageSender,
  partitionPoller,
  trackingHostPoller,
  trackingPlugin,
  trackingPoller,
  trackingRoutes,
  unsubscribedBy,
} from '#areas/tracking/server/index.ts';
import { getresponse } from '#providers/getresponse/index.ts';
import { mailchimp } from '#providers/mailchimp/index.ts';
import type { Config } from '#platform/server/config.ts';
import { hookReaders, providerHooks } from './hooks.ts';
import { relayKinds } from './relays.ts';
import type { Route } from '#platform/server/http/serve.ts';
import { addJob, type Job } from '#platform/server/jobs.ts';
import { leftoversPoller } from '#platform/server/files.ts';
import type { Poller } from '#platform/server/pollers.ts';
import { livePlugin, liveRoutes } from '#platform/server/live.ts';
import { thirdPartyRoutes } from '#platform/server/third-parties.ts';
import { openGazetteer } from '#providers/gazetteer/index.ts';
import { openGooglePlaces } from '#providers/google-places/index.ts';

/** All JSON calls. */
export function allRoutes(config: Config): Route[] {
  return [
    ...liveRoutes,
    ...thirdPartyRoutes(config),
    ...accountRoutes({ signUp: config.signUp }),
    ...settingsRoutes,
    ...addressRoutes(addressProvider(config)),
    ...domainRoutes(domainTools(config)),
    ...fieldRoutes(),
    ...groupRoutes(),
    ...storeRoutes,
    ...segmentRoutes,
    ...exportRoutes(),
    ...importRoutes({ maxMegabytes: config.importMaxMegabytes }),
    ...contentRoutes({ publicUrl: config.publicUrl }),
    ...campaignRoutes(sendingOptions(config)),
    ...relayRoutes(relayKinds(config)),
    ...reportRoutes,
    ...trackingRoutes(config.publicUrl),
    ...whyRoutes,
    ...webhookRoutes({ readers: hookReaders, publicUrl: config.publicUrl }),
    ...smsRoutes,
    ...dashboardRoutes({ monthlyEmails: config.monthlyEmails }),
    ...audienceRoutes(),
  ];
}

/** Public pages, tracking and other surfaces that are no JSON calls. */
export function allPlugins(config: Config): FastifyPluginAsync[] {
  return [
    livePlugin,
    trackingPlugin(config),
    viewInBrowserPlugin,
    imagesPlugin,
    providerHooks(config),
  ];
}

export const allJobs: readonly Job[] = [
  forgottenPasswordJob as Job,
  purgeJob as Job,
  removeFieldValuesJob as Job,
  writeAudienceJob as Job,
  bulkActJob as Job,
  deleteGroupJob as Job,
  countSegmentsJob as Job,
  importJob as Job,
  fetchJob as Job,
  forecastJob as Job,
  undoJob as Job,
  exportJob as Job,
  refreshSumsJob as Job,
];

/** What is due by the clock; run by one elected worker. */
export function allPollers(config: Config): Poller[] {
  return [
    housekeepingPoller,
    domainPoller(domainTools(config)),
    purgePoller,
    trackingPoller,
    trackingHostPoller(config.publicUrl),
    compactionPoller(config.ledgerDays),
    partitionPoller,
    breakerPoller,
    allowancesPoller,
    campaignPoller(sendingOptions(config)),
    resendPoller(sendingOptions(config)),
    uploadsPoller,
    exportsPoller,
    imagesPoller,
    leftoversPoller,
  ];
}

/** Google where a key is given, else the built-in list of places. */
function addressProvider({ googleMapsKey }: Config): AddressProvider {
  return googleMapsKey ? openGooglePlaces({ key: googleMapsKey }) : openGazetteer();
}

function domainTools(config: Config): DomainTools {
  return {
    hosts: { tracking: new URL(config.publicUrl).hostname, bounces: config.bounceDomain },
    resolver: newResolver(config.dnsServers),
  };
}

export function sendingOptions(config: Config): SendingOptions {
  return {
    publicUrl: config.publicUrl,
    // Only where somebody listens for it.
    unsubscribeMailbox: config.returnPath && `unsubscribe@${config.bounceDomain}`,
    needsVerifiedSender: config.smtpUrl !== undefined,
  };
}

let connected = false;

/** Connects events upward and questions; once per process. */
export function connectEvents(config: Config): void {
  configureDelivery({
    bounceDomain: config.bounceDomain,
    alignsReturnPath: config.returnPath !== undefined,
    needsVerifiedSender: config.smtpUrl !== undefined,
  });
  configureListProviders([
    mailchimp({ base: config.listServices.mailchimp }),
    getresponse({ base: config.listServices.getresponse }),
  ]);
  if (connected) return;
  connected = true;
  const letters = letterHandlers({ publicUrl: config.publicUrl, from: config.lettersFrom });
  letterNeeded.on(letters.onAccount);
  signInChanged.on(letters.onSignInChanged);
  invitationSent.on(letters.onInvitation);
  domainLetterNeeded.on(letters.onDomain);
  domainsProven.on(readAnew);
  exportReady.on(letters.onExport);
  messageHalted.on(letters.onHalt);
  campaignNotStarted.on(letters.onNotStarted);
  subscribersDeleted.on(forgetDeleted);
  subscribersErased.on(forgetPeople);
  subscribersErased.on(forgetShoppers);
  subscribersErased.on(forgetImported);
  subscribersErased.on(forgetExported);
  subscribersErased.on(forgetRecipients);
  subscribersErased.on(forgetNamed);
  subscribersErased.on(forgetAudiences);
  for (const forget of [forgetPeople, forgetShoppers, forgetRecipients])
    subscribersPurged.on(forget);
  subscribersUnsubscribed.on(unsubscribedBy);
  fieldDeleted.on((tx, facts) => addJob(tx, removeFieldValuesJob, facts));
  fieldUsedBy.answer(campaignsUsingField);
  domainUsedBy.answer(campaignsFromDomain);
  groupUsedBy.answer(campaignsUsingGroup);
  imageUsedBy.answer(campaignsUsingImage);
  imagesSent.answer(tellSentImages);
  groupUsedBy.answer(segmentsUsingGroup);
  fieldUsedBy.answer(segmentsUsingField);
  fieldUsedBy.answer(importsUsingField);
  fieldUsedBy.answer(bulkActsUsingField);
  groupUsedBy.answer(bulkActsUsingGroup);
  segmentUsedBy.answer(campaignsUsingSegment);
  segmentDeleted.on(forgetSegment);
  campaignsNamed.answer(tellCampaigns);
  wasSent.answer(tellWasSent);
  groupDeleted.on(forgetGroup);
  peopleInUse.answer(writtenPeople);
  acceptedAt.answer(tellAcceptance);
  messageSender.answer(tellSender);
  linkTarget.answer(tellLinkTarget);
  messageFailed.on(copiesFailed);
  messageFailed.on(fullAtHandOver);
  messageStarted.on(campaignStarted);
  messageProgressed.on(campaignChanged);
  messageChanged.on(campaignChanged);
  messageFinished.on(campaignFinished);
  messageFinished.on(prepareSums);
}
