// Who did it, a person or a machine, and why we think so: one table for opens and clicks. Nothing is
// thrown away; reports show both, and what depends on a verdict can be judged again.
import ipaddr from 'ipaddr.js';
import { isbot } from 'isbot';

export type Verdict = 'human' | 'machine';

/** Why; kept with each event. */
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

export type Evidence = {
  kind: 'open' | 'click';
  manner: Manner | undefined;
  userAgent: string;
  ip: string;
  /** How long after the relay took the message, in milliseconds; undefined where nobody knows. */
  sinceAccepted: number | undefined;
  /** How many different links of this message this person followed within BURST_MS around it. */
  linksAround: number;
};

/** Links followed within this time are one burst. */
export const BURST_MS = 2000;
/** No person reads a mail and clicks within this time after the relay took it. */
const AT_DELIVERY_MS = 5000;
/** Scanners look when a mail arrives: until then two links at once tell, later three. */
const SCAN_MS = 15 * 60_000;

/**
 * Mailbox providers that fetch pictures when the person opens the mail. isbot takes them for bots.
 * (Gmail: "via ggpht.com GoogleImageProxy", Yahoo: "YahooMailProxy".)
 */
const IMAGE_PROXY = /GoogleImageProxy|YahooMailProxy/i;
/** Programs that people read mail with, which isbot's patterns take for bots. */
const MAIL_PROGRAM = /Thunderbird|Airmail|Outlook|eM ?Client|PostboxApp/i;
/**
 * Apple Mail Privacy Protection fetches every picture ahead, read or not, with this agent and nothing
 * behind it; its older way came from Apple's own network.
 */
const APPLE_AGENT = /^Mozilla\/5\.0$/;
const APPLE_NETWORK = ['17.0.0.0/8'];

/** Networks of mail security services that follow links: Barracuda, Mimecast, Proofpoint, Microsoft. */
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

type Rule = { reason: VerdictReason; verdict: Verdict; holds(evidence: Evidence): boolean };

/** The first rule that holds decides; if none does, it was a person. */
const RULES: readonly Rule[] = [
  { reason: 'head_request', verdict: 'machine', holds: ({ manner }) => manner === 'head' },
  { reason: 'prefetch', verdict: 'machine', holds: ({ manner }) => manner === 'prefetch' },
  {
    reason: 'image_proxy',
    verdict: 'human',
    holds: ({ kind, userAgent }) => kind === 'open' && IMAGE_PROXY.test(userAgent),
  },
  { reason: 'no_agent', verdict: 'machine', holds: ({ userAgent }) => userAgent === '' },
  {
    reason: 'apple_privacy',
    verdict: 'machine',
    holds: ({ kind, userAgent, ip }) =>
      kind === 'open' && (APPLE_AGENT.test(userAgent) || isIn(ip, apple)),
  },
  {
    reason: 'known_agent',
    verdict: 'machine',
    holds: ({ userAgent }) => isbot(userAgent) && !MAIL_PROGRAM.test(userAgent),
  },
  { reason: 'scanner_network', verdict: 'machine', holds: ({ ip }) => isIn(ip, scanners) },
  {
    reason: 'burst',
    verdict: 'machine',
    holds: ({ kind, linksAround, sinceAccepted = Infinity }) =>
      kind === 'click' && linksAround >= (sinceAccepted < SCAN_MS ? 2 : 3),
  },
  {
    reason: 'at_delivery',
    verdict: 'machine',
    holds: ({ kind, sinceAccepted = Infinity }) =>
      kind === 'click' && sinceAccepted < AT_DELIVERY_MS,
  },
];

export function judge(evidence: Evidence): { verdict: Verdict; reason: VerdictReason | null } {
  const rule = RULES.find((one) => one.holds(evidence));
  return rule ? { verdict: rule.verdict, reason: rule.reason } : { verdict: 'human', reason: null };
}

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];
const apple = APPLE_NETWORK.map((text): Network => ipaddr.parseCIDR(text));
const scanners = SCANNER_NETWORKS.map((text): Network => ipaddr.parseCIDR(text));

function isIn(ip: string, networks: readonly Network[]): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return networks.some(
    ([network, bits]) => address.kind() === network.kind() && address.match(network, bits),
  );
}

/** Fetched by the mailbox provider in the reader's place. */
export function isProxied(userAgent: string): boolean {
  return APPLE_AGENT.test(userAgent) || IMAGE_PROXY.test(userAgent);
}

/** What it was read on, as far as the agent says; null for proxies and machines. */
export function deviceOf(userAgent: string): 'mobile' | 'tablet' | 'desktop' | null {
  if (userAgent === '' || isProxied(userAgent)) return null;
  if (/iPad|Tablet|Android(?!.*Mobile)/i.test(userAgent)) return 'tablet';
  if (/Mobile|iPhone|iPod|Android|iOS/i.test(userAgent)) return 'mobile';
  return /Windows|Macintosh|X11|Linux|CrOS/i.test(userAgent) ? 'desktop' : null;
}
