// IP networks, in CIDR notation, that an API token is restricted to.
import { BlockList, isIP } from 'node:net';

const ADDRESS_BITS = { 4: 32, 6: 128 } as const;
const FAMILY = { 4: 'ipv4', 6: 'ipv6' } as const;

/**
 * Returns the network in its stored notation, such as `203.0.113.0/24`; undefined for other text. A
 * single address becomes a network of one address.
 */
export function readNetwork(text: string): string | undefined {
  const [address = '', prefix, ...more] = text.trim().split('/');
  const family = isIP(address);
  // A zone index (`fe80::1%eth0`) is meaningful on one machine only.
  if ((family !== 4 && family !== 6) || address.includes('%') || more.length > 0) return undefined;
  if (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) return undefined;
  const bits = prefix === undefined ? ADDRESS_BITS[family] : Number(prefix);
  return bits > ADDRESS_BITS[family] ? undefined : `${address.toLowerCase()}/${bits}`;
}

/** Converts IPv4 addresses that a dual-stack socket reports as IPv6 to IPv4. */
const plainAddress = (ip: string) => ip.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');

export function isInNetworks(ip: string, networks: readonly string[]): boolean {
  const address = plainAddress(ip);
  const family = isIP(address);
  if (family !== 4 && family !== 6) return false;
  const list = new BlockList();
  for (const network of networks) {
    const [base = '', bits] = network.split('/');
    const ipFamily = isIP(base);
    if (ipFamily === family) list.addSubnet(base, Number(bits), FAMILY[family]);
  }
  return list.check(address, FAMILY[family]);
}
