// Whom a limit for strangers counts: one IPv4 address, or the 64 bits of an IPv6 network, all of whose
// addresses are in one hand.
import ipaddr from 'ipaddr.js';

export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  // `process` also unwraps IPv4 addresses mapped into IPv6.
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
