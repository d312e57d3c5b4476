// Private hosts that the operator lists in MODEL_HOSTS. An entry without a port allows all ports of
// the host; an entry with a port allows only that port.
import { isIPv6 } from 'node:net';

/** An IPv6 address may be in brackets; before a port it must be. */
const ENTRY = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/;

type HostEntry = { host: string; port: string | undefined };
export type PrivateHosts = readonly HostEntry[];

/** @throws for text that is neither a host nor a host with a port */
export function readPrivateHosts(entries: readonly string[]): PrivateHosts {
  return entries.map((entry) => {
    const text = entry.toLowerCase();
    if (isIPv6(text)) return { host: text, port: undefined };
    const [, bracketed, name, port] = ENTRY.exec(text) ?? [];
    const host = bracketed ?? name;
    if (host === undefined) throw new Error(`${entry} is not a host`);
    return { host, port };
  });
}

const DEFAULT_PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };

export const bareHost = (url: URL) => url.hostname.replace(/^\[|\]$/g, '').toLowerCase();

export function isListed(hosts: PrivateHosts, url: URL): boolean {
  const host = bareHost(url);
  const urlPort = url.port || DEFAULT_PORTS[url.protocol];
  return hosts.some(
    (entry) => entry.host === host && (entry.port === undefined || entry.port === urlPort),
  );
}
