// Hosts of a store: its own, subdomains, its parent domain (`shop.tea.example` and `tea.example`),
// and hosts that its platform reports with the owner's keys. Emails link to products only on these
// hosts.
import type { StoreRow } from './connections.sql.ts';

type StoreHosts = Pick<StoreRow, 'domain' | 'settings'>;

/** Returns the URL if it is on a host of the store, otherwise null. */
export function toOwnUrl(address: string | null, store: StoreHosts): string | null {
  if (!address || !URL.canParse(address)) return null;
  return isOwnHost(new URL(address).hostname, store) ? address : null;
}

function isOwnHost(host: string, { domain, settings }: StoreHosts): boolean {
  if (settings.hosts?.includes(host)) return true;
  const [requestHost, storeHost] = [host, domain].map((name) =>
    // The address of a store in a folder contains a path, which is not compared.
    (name.split('/', 1)[0] ?? '').replace(/:\d+$/, '').replace(/^www\./, ''),
  ) as [string, string];
  return (
    requestHost === storeHost ||
    requestHost.endsWith(`.${storeHost}`) ||
    isParent(requestHost, storeHost)
  );
}

const isParent = (host: string, child: string) => host.includes('.') && child.endsWith(`.${host}`);

const MAX_HOSTS = 50;

/** Returns the known hosts and the hosts of these URLs, or undefined if no host is new. */
export function addHosts(
  existingHosts: readonly string[] = [],
  addresses: readonly (string | null)[],
): string[] | undefined {
  const hosts = new Set(existingHosts);
  for (const address of addresses) {
    if (address && hosts.size < MAX_HOSTS && URL.canParse(address))
      hosts.add(new URL(address).hostname);
  }
  return hosts.size > existingHosts.length ? [...hosts] : undefined;
}
