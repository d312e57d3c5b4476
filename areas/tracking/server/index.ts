// Public interface of tracking for other areas.
import {
  subscribersErased,
  subscribersPurged,
  subscribersUnsubscribed,
} from '#areas/subscribers/server/index.ts';
import { type Area, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { onSubscribersErased, onSubscribersUnsubscribed } from './feedback.ts';
import { trackingHostPoller } from './hosts.ts';
import { trackingRoutes } from './measuring.ts';
import { partitionPoller } from './partitions.ts';
import { trackingPlugin } from './plugin.ts';
import { providerEventsPoller } from './provider-events.ts';
import { trackingPoller } from './recorder.ts';

export function area(config: Config): Area {
  return {
    name: 'tracking',
    description: 'Tracking of opens and clicks, and the hosts of tracked links.',
    routes: trackingRoutes(config.publicUrl),
    plugins: [trackingPlugin(config)],
    pollers: [
      trackingPoller,
      trackingHostPoller(config.publicUrl),
      partitionPoller,
      providerEventsPoller(),
    ],
    eventHandlers: [
      on(subscribersErased, onSubscribersErased),
      on(subscribersPurged, onSubscribersErased),
      on(subscribersUnsubscribed, onSubscribersUnsubscribed),
    ],
  };
}

export {
  acceptedAt,
  copyMailboxes,
  type EngagementEvent,
  engagementRecorded,
  linkTarget,
  type MessagePair,
  type MessageSender,
  messageSender,
} from './events.ts';
export { readSetbacks } from './engagement.sql.ts';
export { type EngagementFigures, computeFigures, readEngagement } from './figures.ts';
export {
  claimProviderEvents,
  onMessageFailed,
  recordComplaints,
  recordHardBounces,
  recordSoftBounces,
  recordUnsubscribes,
  reverseRefusals,
} from './feedback.ts';
export { listReportingMailboxes } from './setbacks.sql.ts';
export { readMessageMeasuring } from './measuring.ts';
export { findLinksOfMessages } from './links.sql.ts';
export { saveLinks } from './links.ts';
export { countShortClick, settleTracking, findShortLinkTarget } from './plugin.ts';
export {
  getInstallationTokens,
  TOKEN_LENGTH,
  type TokenPayload,
  type TokenPurpose,
  createTokens,
} from './token.ts';
export {
  sendFailed as sendFailedLink,
  sendUnknown as sendUnknownLink,
} from './unsubscribe-page.ts';
