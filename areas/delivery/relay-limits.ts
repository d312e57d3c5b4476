// Limits, formats and options of an account's relays and warm-ups, for the browser and the server.

export const RELAY_KINDS = ['smtp', 'ses'] as const;
export type RelayKind = (typeof RELAY_KINDS)[number];

/** TLS modes of a relay; `none` is allowed for this machine only. */
export const TLS_MODES = ['required', 'implicit', 'opportunistic', 'none'] as const;
export type RelayTls = (typeof TLS_MODES)[number];

/** Returns whether the host is this machine, the only host for which the mode `none` is allowed. */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host.trim().toLowerCase());
}

export const RELAY_HEALTHS = ['unknown', 'ready', 'waiting', 'refused'] as const;
export type RelayHealth = (typeof RELAY_HEALTHS)[number];

/** Results of a relay test: `accepted`, or the reason of the failure. */
export const TRIAL_CODES = [
  'accepted',
  'unreachable',
  'no_server',
  'encryption',
  'certificate',
  'sign_in',
  'sender',
  'relaying',
  'recipient',
  'busy',
  'private',
  'refused',
] as const;
export type TrialCode = (typeof TRIAL_CODES)[number];

export const MAX_RELAY_TITLE = 80;
export const MAX_HOST = 253;
export const MAX_SECRET = 500;
export const MAX_CONNECTIONS = 100;
export const MAX_RATE = 1_000_000;
export const MAX_DAY = 100_000_000;
export const MAX_PRIORITY = 9;
export const MAX_WEIGHT = 100;
export const MAX_DOMAIN_LIMITS = 50;
export const MAX_RELAYS = 20;

/** AWS regions with SES. https://docs.aws.amazon.com/general/latest/gr/ses.html */
export const SES_REGIONS = [
  'us-east-1',
  'us-east-2',
  'us-west-1',
  'us-west-2',
  'af-south-1',
  'ap-northeast-1',
  'ap-northeast-2',
  'ap-northeast-3',
  'ap-south-1',
  'ap-southeast-1',
  'ap-southeast-2',
  'ap-southeast-3',
  'ca-central-1',
  'eu-central-1',
  'eu-north-1',
  'eu-south-1',
  'eu-west-1',
  'eu-west-2',
  'eu-west-3',
  'il-central-1',
  'me-south-1',
  'sa-east-1',
] as const;

/** Emails on the first day of a warm-up. */
export const WARM_UP_FIRST = 50;
/** Factor by which the cap grows each day. */
const WARM_UP_GROWTH = 1.6;
export const MAX_WARM_UP = 10_000_000;

/** Computes the daily caps of a warm-up; the last one is `target`. */
export function computeWarmUpCaps(target: number): number[] {
  const caps: number[] = [];
  for (let cap = WARM_UP_FIRST; cap < target; cap *= WARM_UP_GROWTH) caps.push(roundCap(cap));
  return [...caps, target];
}

/** Rounds to two significant figures: 50, 80, 130, 200, 330 … */
function roundCap(cap: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(cap)) - 1);
  return Math.round(cap / unit) * unit;
}

/**
 * The reserve of an hourly or daily limit is the limit divided by this number, up to MAX_RESERVE.
 */
const RESERVE_DIVISOR = 50;
const MAX_RESERVE = 1_000;

/**
 * Computes how many emails of an hourly or daily limit are reserved for urgent email; 0 for limits
 * below 50.
 */
export function computeReserve(limit: number): number {
  return Math.min(MAX_RESERVE, Math.floor(limit / RESERVE_DIVISOR));
}
