// Determines the client's address for requests that are answered before they reach the framework,
// with the same result as Fastify's trustProxy.
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { Config } from '#platform/server/config.ts';

type Trust = (address: string, hop: number) => boolean;

const NAMED: Record<string, readonly string[]> = {
  loopback: ['loopback'],
  linklocal: ['linkLocal'],
  uniquelocal: ['private', 'uniqueLocal'],
};

/** @param trustProxy `TRUST_PROXY`: the number of proxies, true to trust all, or their networks */
export function clientAddress(
  trustProxy: Config['trustProxy'],
): (request: IncomingMessage) => string {
  if (!trustProxy) return (request) => request.socket.remoteAddress ?? '';
  const trust = trustOf(trustProxy);
  return (request) => {
    const forwardedFor = String(request.headers['x-forwarded-for'] ?? '');
    const hops = forwardedFor === '' ? [] : forwardedFor.split(',').map((hop) => hop.trim());
    hops.push(request.socket.remoteAddress ?? '');
    hops.reverse();
    const nearest = hops.findIndex((address, hop) => !trust(address, hop));
    return hops[nearest === -1 ? hops.length - 1 : nearest] ?? '';
  };
}

function trustOf(value: true | string | number): Trust {
  if (value === true) return () => true;
  if (typeof value === 'number') return (_, hop) => hop < value;
  const tests = value.split(',').map((network) => networkTest(network.trim()));
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    const ip = ipaddr.process(address);
    return tests.some((test) => test(ip));
  };
}

function networkTest(text: string): (address: ipaddr.IPv4 | ipaddr.IPv6) => boolean {
  const ranges = NAMED[text];
  if (ranges) return (address) => ranges.includes(address.range());
  const [network, bits] = text.includes('/')
    ? ipaddr.parseCIDR(text)
    : [ipaddr.process(text), ipaddr.process(text).kind() === 'ipv4' ? 32 : 128];
  return (address) => address.kind() === network.kind() && address.match(network, bits as number);
}
