// The unit for limits on visitors: an IPv4 address or an IPv6 /64 network. A single visitor usually
// controls a whole /64 network, so a limit per IPv6 address would be ineffective.
import ipaddr from 'ipaddr.js';

export function toNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  // `process` also unwraps IPv4 addresses mapped into IPv6.
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
