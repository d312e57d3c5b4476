// Validates settings with rules that a schema cannot express; reports a sentence for each invalid
// value.
import { isIP } from 'node:net';
import { z } from 'zod';

/** Describes the valid values of a setting in the product's terms. */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'number' || issue.expected === 'int'
        ? 'must be a whole number'
        : 'must be text';
    case 'too_small':
      return issue.origin === 'string'
        ? `needs at least ${issue.minimum} characters`
        : `must be ${issue.minimum} or more`;
    case 'too_big':
      return issue.origin === 'string'
        ? `must have at most ${issue.maximum} characters`
        : `must be ${issue.maximum} or less`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    default:
      return 'is not a value that this setting can have';
  }
}

/** An `http` or `https` address. */
export const webAddress = () =>
  z.url({ protocol: /^https?$/, error: 'must be an address that starts with http:// or https://' });

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/i;

/** Returns true for a host name of two or more labels, in Punycode. */
function isDomainName(text: string): boolean {
  const labels = text.split('.');
  const isNumeric = /^\d+$/.test(labels.at(-1) ?? '');
  return (
    labels.length > 1 &&
    text.length <= 253 &&
    !isNumeric &&
    labels.every((label) => LABEL.test(label))
  );
}

export const DomainName = z
  .string()
  .refine(isDomainName, 'must be a domain name such as bounces.shop.example');

/** Returns true for `address`, `address:port` or `[address]:port`. */
function isResolver(text: string): boolean {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? text;
  return isIP(host) !== 0 && Number(port ?? 53) >= 1 && Number(port ?? 53) <= 65_535;
}

const listOf = (text: string) => text.split(',').map((part) => part.trim());

export const Resolvers = z
  .string()
  .transform(listOf)
  .refine(
    (all) => all.every(isResolver),
    'must be IP addresses of DNS servers, separated by commas (9.9.9.9, 127.0.0.1:5353)',
  );

const BITS: Record<number, number> = { 4: 32, 6: 128 };
const NETWORKS = new Set(['loopback', 'linklocal', 'uniquelocal']);

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const max = BITS[isIP(address)];
  if (max === undefined || rest.length > 0) return NETWORKS.has(text);
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= max);
}

/** `none`, a number of proxies, or their addresses and networks. */
export const TrustedProxies = z
  .string()
  .refine(
    (text) => text === 'none' || /^\d{1,2}$/.test(text) || listOf(text).every(isNetwork),
    'must be the number of proxies in front (1), their addresses (10.0.0.0/8), or none',
  );

const Email = z.email();

export const EmailList = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .refine(
    (all) => all.every((address) => Email.safeParse(address).success),
    'must be email addresses, separated by commas',
  );

/** A host of a content security policy: with or without a scheme, a wildcard and a port. */
const CONTENT_HOST =
  /^(?:(?:https?|wss?):\/\/)?(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/i;

export const ContentHosts = z
  .string()
  .transform(listOf)
  .refine(
    (hosts) => hosts.every((host) => CONTENT_HOST.test(host)),
    'must be hosts, separated by commas (https://*.chat.example, wss://chat.example)',
  );

export type ListenerAddress = { name: string; host: string; port: number | undefined };

const isEverywhere = (host: string) => host === '0.0.0.0' || host === '::';

/**
 * Finds two listeners that would use the same port of the same address; port 0 means any free port.
 */
export function samePort(
  listeners: readonly ListenerAddress[],
): [ListenerAddress, ListenerAddress] | undefined {
  const openListeners = listeners.filter(({ port }) => port !== undefined && port !== 0);
  for (const [i, one] of openListeners.entries()) {
    const otherListener = openListeners
      .slice(i + 1)
      .find(
        ({ host, port }) =>
          port === one.port && (host === one.host || isEverywhere(host) || isEverywhere(one.host)),
      );
    if (otherListener) return [one, otherListener];
  }
  return undefined;
}

const HEADER = /^([\w-]{1,100})=([^\s,]{0,4096})$/;

/** `name=value,name=value`, with encoded values, as OpenTelemetry defines it. */
export const OtlpHeaders = z
  .string()
  .transform(listOf)
  .refine((parts) => parts.every((part) => HEADER.test(part) && isEncoded(part)), {
    error: 'must be name=value, separated by commas',
  })
  .transform((parts) =>
    Object.fromEntries(
      parts.map((part) => {
        const [, name = '', value = ''] = HEADER.exec(part) ?? [];
        return [name, decodeURIComponent(value)];
      }),
    ),
  );

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
