// The door of tracking: all that other areas may call.
export {
  acceptedAt,
  type Engagement,
  engagementRecorded,
  linkTarget,
  type MessagePair,
  messageLanguage,
} from './events.ts';
export { type Figures, figuresOf, readEngagement } from './figures.ts';
export {
  type Bounce,
  claimProviderEvents,
  copiesFailed,
  type Fact,
  forgetPeople,
  recordComplaints,
  recordHardBounces,
  recordSent,
  recordSoftBounces,
  recordUnsubscribes,
  unsubscribedBy,
} from './facts.ts';
export { outcomesOfPerson } from './facts.sql.ts';
export { installationTokens } from './installation-tokens.ts';
export { readLinks, saveLinks } from './links.ts';
export { partitionPoller } from './partitions.ts';
export { settleTracking, trackingPlugin } from './plugin.ts';
export { trackingPoller } from './recorder.ts';
export {
  TOKEN_LENGTH,
  type TokenFacts,
  type TokenPurpose,
  type Tokens,
  tokensOf,
} from './token.ts';
export type { Verdict, VerdictReason } from './verdict.ts';
export { sendUnknown as sendUnknownLink } from './unsubscribe-page.ts';
