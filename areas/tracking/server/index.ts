// The door of tracking: all that other areas may call.
export {
  acceptedAt,
  linkTarget,
  type MessagePair,
  type MessageSender,
  messageSender,
} from './events.ts';
export { readSetbacks } from './engagement.sql.ts';
export { type Figures, figuresOf, readEngagement } from './figures.ts';
export {
  type Bounce,
  claimProviderEvents,
  copiesFailed,
  type Fact,
  forgetPeople,
  recordComplaints,
  recordHardBounces,
  recordSoftBounces,
  recordUnsubscribes,
  takeBackRefusals,
  unsubscribedBy,
} from './facts.ts';
export { trackingHostPoller } from './hosts.ts';
export { measuringOf, trackingRoutes } from './measuring.ts';
export { saveLinks } from './links.ts';
export { partitionPoller } from './partitions.ts';
export { settleTracking, trackingPlugin } from './plugin.ts';
export { trackingPoller } from './recorder.ts';
export {
  installationTokens,
  TOKEN_LENGTH,
  type TokenFacts,
  type TokenPurpose,
  type Tokens,
  tokensOf,
} from './token.ts';
export type { Verdict, VerdictReason } from './verdict.ts';
export {
  sendFailed as sendFailedLink,
  sendUnknown as sendUnknownLink,
} from './unsubscribe-page.ts';
