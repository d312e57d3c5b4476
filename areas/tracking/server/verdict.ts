// Classifies opens and clicks as human or automated (machine), and gives the reason. Automated
// events are also stored and reported.
import ipaddr from 'ipaddr.js';
import { isbot } from 'isbot';

export type HitVerdict = 'human' | 'machine';

/** Reason of the verdict; stored with each event. */
export type VerdictReason =
  | 'image_proxy'
  | 'head_request'
  | 'prefetch'
  | 'no_agent'
  | 'apple_privacy'
  | 'known_agent'
  | 'scanner_network'
  | 'burst'
  | 'at_delivery';

export type Manner = 'head' | 'prefetch';

export type HitEvidence = {
  kind: 'open' | 'click';
  manner: Manner | undefined;
  userAgent: string;
  ip: string;
  /** Milliseconds since the relay accepted the message; undefined if unknown. */
  msSinceAccepted: number | undefined;
  /**
   * Number of different links of the message that the subscriber followed within BURST_MS of the
   * event.
   */
  nearbyLinkCount: number;
};

/** Clicks within this time of each other belong to one burst. */
export const BURST_MS = 2000;
/** Clicks within this time after acceptance are too fast for a human. */
const AT_DELIVERY_MS = 5000;
/**
 * Scanners follow links within this time after acceptance. During it, two different links in one
 * burst indicate a machine; after it, three do.
 */
const SCAN_MS = 15 * 60_000;

/**
 * Proxies of mailbox providers that fetch images when the subscriber opens the email, which isbot
 * classifies as bots. (Gmail: "via ggpht.com GoogleImageProxy", Yahoo: "YahooMailProxy".)
 */
const IMAGE_PROXY = /GoogleImageProxy|YahooMailProxy/i;
/** Email clients that isbot classifies as bots. */
const EMAIL_CLIENT = /Thunderbird|Airmail|Outlook|eM ?Client|PostboxApp/i;
/**
 * Apple Mail Privacy Protection fetches every image in advance, with exactly this user agent; it
 * earlier did so from Apple's own network.
 */
const APPLE_AGENT = /^Mozilla\/5\.0$/;
const APPLE_NETWORK = ['17.0.0.0/8'];

/**
 * Networks of email security services that follow links: Barracuda, Mimecast, Proofpoint,
 * Microsoft.
 */
const SCANNER_NETWORKS = [
  '64.235.144.0/20',
  '209.222.80.0/21',
  '91.220.42.0/24',
  '195.130.217.0/24',
  '207.211.30.0/23',
  '205.139.110.0/23',
  '170.10.128.0/21',
  '67.231.144.0/20',
  '148.163.128.0/19',
  '205.220.160.0/19',
  '185.132.180.0/22',
  '40.94.0.0/16',
  '40.107.0.0/16',
  '52.100.0.0/14',
  '104.47.0.0/17',
];

type VerdictRule = {
  reason: VerdictReason;
  verdict: HitVerdict;
  matches(evidence: HitEvidence): boolean;
};

/** The first matching rule applies; if none matches, the event is human. */
const RULES: readonly VerdictRule[] = [
  { reason: 'head_request', verdict: 'machine', matches: ({ manner }) => manner === 'head' },
  { reason: 'prefetch', verdict: 'machine', matches: ({ manner }) => manner === 'prefetch' },
  {
    reason: 'image_proxy',
    verdict: 'human',
    matches: ({ kind, userAgent }) => kind === 'open' && IMAGE_PROXY.test(userAgent),
  },
  { reason: 'no_agent', verdict: 'machine', matches: ({ userAgent }) => userAgent === '' },
  {
    reason: 'apple_privacy',
    verdict: 'machine',
    matches: ({ kind, userAgent, ip }) =>
      kind === 'open' && (APPLE_AGENT.test(userAgent) || isIn(ip, apple)),
  },
  {
    reason: 'known_agent',
    verdict: 'machine',
    matches: ({ userAgent }) => isbot(userAgent) && !EMAIL_CLIENT.test(userAgent),
  },
  { reason: 'scanner_network', verdict: 'machine', matches: ({ ip }) => isIn(ip, scanners) },
  {
    reason: 'burst',
    verdict: 'machine',
    matches: ({ kind, nearbyLinkCount, msSinceAccepted = Infinity }) =>
      kind === 'click' && nearbyLinkCount >= (msSinceAccepted < SCAN_MS ? 2 : 3),
  },
  {
    reason: 'at_delivery',
    verdict: 'machine',
    matches: ({ kind, msSinceAccepted = Infinity }) =>
      kind === 'click' && msSinceAccepted < AT_DELIVERY_MS,
  },
];

export function classifyHit(evidence: HitEvidence): {
  verdict: HitVerdict;
  reason: VerdictReason | null;
} {
  const rule = RULES.find((rule) => rule.matches(evidence));
  return rule ? { verdict: rule.verdict, reason: rule.reason } : { verdict: 'human', reason: null };
}

type NetworkRange = [ipaddr.IPv4 | ipaddr.IPv6, number];
const apple = APPLE_NETWORK.map((text): NetworkRange => ipaddr.parseCIDR(text));
const scanners = SCANNER_NETWORKS.map((text): NetworkRange => ipaddr.parseCIDR(text));

function isIn(ip: string, networks: readonly NetworkRange[]): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return networks.some(
    ([network, bits]) => address.kind() === network.kind() && address.match(network, bits),
  );
}

/**
 * Returns whether a proxy fetched the image, so that IP address and user agent are not the
 * reader's.
 */
export function isProxied(userAgent: string): boolean {
  return APPLE_AGENT.test(userAgent) || IMAGE_PROXY.test(userAgent);
}

/** Returns the kind of device by the user agent; null for proxies and unknown agents. */
export function detectDevice(userAgent: string): 'mobile' | 'tablet' | 'desktop' | null {
  if (userAgent === '' || isProxied(userAgent)) return null;
  if (/iPad|Tablet|Android(?!.*Mobile)/i.test(userAgent)) return 'tablet';
  if (/Mobile|iPhone|iPod|Android|iOS/i.test(userAgent)) return 'mobile';
  return /Windows|Macintosh|X11|Linux|CrOS/i.test(userAgent) ? 'desktop' : null;
}
