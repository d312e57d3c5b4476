// Public interface of tracking for other areas.
import {
  subscribersErased,
  subscribersPurged,
  subscribersUnsubscribed,
} from '#areas/subscribers/server/index.ts';
import { type Area, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { eraseFacts, unsubscribedBy } from './facts.ts';
import { trackingHostPoller } from './hosts.ts';
import { trackingRoutes } from './measuring.ts';
import { partitionPoller } from './partitions.ts';
import { trackingPlugin } from './plugin.ts';
import { providerEventsPoller } from './provider-events.ts';
import { trackingPoller } from './recorder.ts';

export function area(config: Config): Area {
  return {
    name: 'tracking',
    routes: trackingRoutes(config.publicUrl),
    plugins: [trackingPlugin(config)],
    pollers: [
      trackingPoller,
      trackingHostPoller(config.publicUrl),
      partitionPoller,
      providerEventsPoller(),
    ],
    listens: [
      on(subscribersErased, eraseFacts),
      on(subscribersPurged, eraseFacts),
      on(subscribersUnsubscribed, unsubscribedBy),
    ],
  };
}

export {
  acceptedAt,
  copyMailboxes,
  type Engagement,
  engagementRecorded,
  linkTarget,
  type MessagePair,
  type MessageSender,
  messageSender,
} from './events.ts';
export { readSetbacks } from './engagement.sql.ts';
export { type Figures, computeFigures, readEngagement } from './figures.ts';
export {
  claimProviderEvents,
  copiesFailed,
  recordComplaints,
  recordHardBounces,
  recordSoftBounces,
  recordUnsubscribes,
  reverseRefusals,
} from './facts.ts';
export { reportingMailboxes } from './setbacks.sql.ts';
export { readMessageMeasuring } from './measuring.ts';
export { findLinksOfMessages } from './links.sql.ts';
export { saveLinks } from './links.ts';
export { countShortClick, settleTracking, shortLinkTarget } from './plugin.ts';
export {
  installationTokens,
  TOKEN_LENGTH,
  type TokenFacts,
  type TokenPurpose,
  createTokens,
} from './token.ts';
export {
  sendFailed as sendFailedLink,
  sendUnknown as sendUnknownLink,
} from './unsubscribe-page.ts';
