// Settings of a relay in a pool and keys of its limits.
import { isAscii } from 'node:buffer';
import { domainToASCII } from 'node:url';
import { getMailbox } from '#areas/subscribers/shared.ts';
import type { RateLimits } from './allowance.ts';
import type { CopyFields } from '../feedback/copy-fields.ts';
import type {
  BaseHandoff,
  OpenRelay,
  RelayConnection,
  RelayState,
  HandoffSource,
} from './provider.ts';

export type PooledRelay = {
  /** Key of the relay's stored allowance; never used again for another relay. */
  key: string;
  /**
   * Relays with the lowest number are used first; if none of them is usable, relays with the next
   * number are used.
   */
  priority: number;
  /** The relay's proportion of the handoffs among relays of the same priority. */
  weight: number;
  limits: RateLimits;
  /**
   * Limits by domain; a domain of a known mailbox provider represents all of the provider's
   * domains.
   */
  domainLimits: ReadonlyMap<string, RateLimits>;
  open: OpenRelay;
  /** Whether the relay signs email itself, so that we add no signature. */
  signsMessages?: boolean;
  /**
   * Header fields that identify a copy in this relay's reports, if the reports contain no other
   * data of ours.
   */
  fields?: CopyFields | undefined;
  /** Called with each new state and, while the relay works, about once per minute. */
  onState?(state: RelayState): void;
};

/** A relay of a pool on any channel, for handoffs of one type. */
export type PooledSender<H extends BaseHandoff> = Pick<
  PooledRelay,
  'key' | 'priority' | 'weight' | 'limits' | 'domainLimits' | 'onState'
> & {
  open(source: HandoffSource<H>): RelayConnection;
  /** Prepares a handoff for this relay. */
  prepare?(handoff: H): void;
};

/**
 * Returns whether the host is an SMTP endpoint of SES:
 * https://docs.aws.amazon.com/general/latest/gr/ses.html
 */
export function isAmazonSes(host: string): boolean {
  return /^email-smtp(-fips)?\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/i.test(host);
}

/**
 * Returns the key of the limits for an address: the number of its mailbox provider, otherwise its
 * domain in ASCII form. For an SMS it is the sending number.
 */
export function getPaceKey(address: string): string {
  const domain = dnsName(address.slice(address.lastIndexOf('@') + 1)).toLowerCase();
  const mailbox = getMailbox(`@${domain}`);
  return mailbox > 0 ? `${mailbox}` : domain;
}

function dnsName(domain: string): string {
  return isAscii(Buffer.from(domain)) ? domain : domainToASCII(domain) || domain;
}
