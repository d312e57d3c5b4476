// What a pool is told of each of its relays.
import { isAscii } from 'node:buffer';
import { domainToASCII } from 'node:url';
import { mailboxOf } from '#areas/subscribers/limits.ts';
import type { Limits } from './allowance.ts';
import type { CopyFields } from '../feedback/copy-fields.ts';
import type { BaseHandOver, OpenRelay, Relay, RelayState, Source } from './provider.ts';

export type PooledRelay = {
  /** Unique among all relays ever: what it may take is kept under it. */
  key: string;
  /** The lowest number is used first; those of the next take over where none of these can be used. */
  priority: number;
  /** Its share among those of its priority. */
  weight: number;
  limits: Limits;
  /** By domain; one of a known mailbox provider stands for all of the provider's. */
  domainLimits: ReadonlyMap<string, Limits>;
  open: OpenRelay;
  /** It signs what it sends on: what it gets has no signature of ours. */
  signs?: boolean;
  /** What it names copies by, where it gives back nothing else of ours. */
  fields?: CopyFields | undefined;
  /** Hears how it is doing. */
  onState?(state: RelayState): void;
};

/** The same of any channel, for hand-overs of one kind. */
export type PooledWay<H extends BaseHandOver> = Pick<
  PooledRelay,
  'key' | 'priority' | 'weight' | 'limits' | 'domainLimits' | 'onState'
> & {
  open(source: Source<H>): Relay;
  /** Says to what it is given how this relay takes it. */
  prepare?(handOver: H): void;
};

/** SES by SMTP. https://docs.aws.amazon.com/general/latest/gr/ses.html */
export function isAmazonSes(host: string): boolean {
  return /^email-smtp(-fips)?\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/i.test(host);
}

/**
 * What limits of a domain are kept by: the number of a mailbox provider, else the domain as DNS has it, however
 * it was written.
 */
export function paceKeyOf(address: string): string {
  const domain = dnsName(address.slice(address.lastIndexOf('@') + 1)).toLowerCase();
  const mailbox = mailboxOf(`@${domain}`);
  return mailbox > 0 ? `${mailbox}` : domain;
}

function dnsName(domain: string): string {
  return isAscii(Buffer.from(domain)) ? domain : domainToASCII(domain) || domain;
}
