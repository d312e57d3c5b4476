// What an account's relay and a warm-up may look like, the same in the browser and on the server.

export const RELAY_KINDS = ['smtp', 'ses'] as const;
export type RelayKind = (typeof RELAY_KINDS)[number];

/** How a relay is spoken to; `none` only to this very machine. */
export const TLS_MODES = ['required', 'implicit', 'opportunistic', 'none'] as const;
export type RelayTls = (typeof TLS_MODES)[number];

/** Only such a host may be spoken to without encryption. */
export function isThisMachine(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host.trim().toLowerCase());
}

export const RELAY_HEALTHS = ['unknown', 'ready', 'waiting', 'refused'] as const;
export type RelayHealth = (typeof RELAY_HEALTHS)[number];

/** What the trial of a relay comes to: `accepted`, or what stands in its way. */
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

export const RELAY_TITLE_MOST = 80;
export const HOST_MOST = 253;
export const SECRET_MOST = 500;
export const CONNECTIONS_MOST = 100;
export const RATE_MOST = 1_000_000;
export const DAY_MOST = 100_000_000;
export const PRIORITY_MOST = 9;
export const WEIGHT_MOST = 100;
export const DOMAIN_LIMITS_MOST = 50;
export const RELAYS_MOST = 20;

/** Where Amazon offers SES. https://docs.aws.amazon.com/general/latest/gr/ses.html */
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

/** Mails of the first day of a warm-up, and by how much each day is larger. */
export const WARM_UP_FIRST = 50;
const WARM_UP_GROWTH = 1.6;
export const WARM_UP_MOST = 10_000_000;

/** The caps of each day until one may send `target` a day. */
export function warmUpCaps(target: number): number[] {
  const caps: number[] = [];
  for (let cap = WARM_UP_FIRST; cap < target; cap *= WARM_UP_GROWTH) caps.push(roundCap(cap));
  return [...caps, target];
}

/** Two figures are exact enough: 50, 80, 130, 200, 330 … */
function roundCap(cap: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(cap)) - 1);
  return Math.round(cap / unit) * unit;
}

/** Of an hour's or a day's limit, what is kept for urgent mails: one of so many … */
const KEPT_OF = 50;
/** … and so many at most. */
const MOST_KEPT = 1_000;

/** Of an hour's or a day's limit, how many only urgent mails may use; none of less than fifty. */
export function keptOf(most: number): number {
  return Math.min(MOST_KEPT, Math.floor(most / KEPT_OF));
}
