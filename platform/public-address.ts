// Decides whether an address belongs to the public internet. IPv6 writes private IPv4 addresses in
// many ways (mapped, compatible, translated, 6to4, NAT64, Teredo); none of them is public.
import ipaddr from 'ipaddr.js';

/** The only block that contains assigned global unicast addresses (RFC 4291). */
const GLOBAL: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

export function isPublicAddress(text: string): boolean {
  // The parser mistakes `::8.8.8.8` for a mapped address; URL normalizes it to hexadecimal.
  const plainHost = text.includes(':')
    ? URL.parse(`http://[${text}]`)?.hostname.slice(1, -1)
    : text;
  if (plainHost === undefined || !ipaddr.isValid(plainHost)) return false;
  // `process` unwraps IPv4 addresses mapped into IPv6.
  const address = ipaddr.process(plainHost);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL);
}
