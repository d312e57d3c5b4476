// Settings of each relay in a pool.
import { isAscii } from 'node:buffer';
import { domainToASCII } from 'node:url';
import { mailboxOf } from '#areas/subscribers/shared.ts';
import type { Limits } from './allowance.ts';
import type { CopyFields } from '../feedback/copy-fields.ts';
import type { BaseHandoff, OpenRelay, Relay, RelayState, Source } from './provider.ts';

export type PooledRelay = {
  /** Unique among all relays ever: its limits are stored under it. */
  key: string;
  /** The lowest number is used first; the next ones take over if none of these is usable. */
  priority: number;
  /** The relay's share of the work among relays of the same priority. */
  weight: number;
  limits: Limits;
  /** By domain; a domain of a known mailbox provider covers all domains of the provider. */
  domainLimits: ReadonlyMap<string, Limits>;
  open: OpenRelay;
  /** Whether the relay signs outgoing email itself: then we add no signature. */
  signs?: boolean;
  /** The relay's header fields that identify a copy, if its reports include no other identifier of ours. */
  fields?: CopyFields | undefined;
  /** Called with each state. */
  onState?(state: RelayState): void;
};

/** A relay of a pool on any channel, for handoffs of one type. */
export type PooledSender<H extends BaseHandoff> = Pick<
  PooledRelay,
  'key' | 'priority' | 'weight' | 'limits' | 'domainLimits' | 'onState'
> & {
  open(source: Source<H>): Relay;
  /** Prepares a handoff for this relay. */
  prepare?(handoff: H): void;
};

/** SES over SMTP. https://docs.aws.amazon.com/general/latest/gr/ses.html */
export function isAmazonSes(host: string): boolean {
  return /^email-smtp(-fips)?\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/i.test(host);
}

/**
 * Key of a domain's limits: the number of a mailbox provider, otherwise the domain in its DNS form.
 */
export function paceKeyOf(address: string): string {
  const domain = dnsName(address.slice(address.lastIndexOf('@') + 1)).toLowerCase();
  const mailbox = mailboxOf(`@${domain}`);
  return mailbox > 0 ? `${mailbox}` : domain;
}

function dnsName(domain: string): string {
  return isAscii(Buffer.from(domain)) ? domain : domainToASCII(domain) || domain;
}
