// Public interface of senders for other areas and the sender role: relays, channels, and running
// senders with their metrics.
export { accountHasOwnSenders, setAccountsWithOwnSms } from '../channels/own-senders.sql.ts';
export {
  type CompiledSmsMessage,
  setSmsChannel,
  type SmsCopy,
  type SmsMessageSource,
  type WrittenSms,
} from '../channels/sms.ts';
export { closedRelay } from '../relays/closed-relay.ts';
export { outletTable } from '../relays/outlet-table.sql.ts';
export { type PooledRelay, isAmazonSes, getPaceKey } from '../relays/pooled-relay.ts';
export { findProviderOfHost } from '../relays/provider-hosts.ts';
export type {
  HandoffResult,
  OpenRelay,
  RelayConnection,
  RelayState,
  HandoffSource,
} from '../relays/provider.ts';
export type { RelayKinds, RelaySettings } from '../relays/relay-kinds.ts';
export { openPool, openSmsPool, soleRelay } from '../relays/relay-pool.ts';
export { sendersChanged } from '../relays/senders-changed.ts';
export {
  type ReceiptQuery,
  type KnownSms,
  type OpenSmsRelay,
  type PooledSms,
  type SmsEvent,
  type SmsHandoff,
  type SmsReader,
  isSameNumber,
} from '../relays/sms-provider.ts';
export { findNewSenderDomain } from '../warm-up/warm-up-plans.ts';
export { needsProof } from './sender-proof.ts';
export { type RunningSender, runSender, runSmsSender, type SenderLimits } from './sender.ts';
export { type OwnSmsSenders, runSenders, runSmsSenders } from './senders.ts';
export {
  checkRelays,
  createPaceMeter,
  type RelayStatus as RelayFacts,
  listRelayStates,
  collectMetrics,
} from './sending-figures.ts';
