// Where the product may connect to because a user said so: to no address of a private network, and to
// the very address that was looked at (a name may point elsewhere a moment later).
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../public-address.ts';

/** The host stands for an address that outsiders may not name. */
export class PrivateAddressError extends Error {
  constructor(host: string) {
    super(`${host} is an address of a private network.`);
  }
}

let arePrivateAllowed = false;

/** For tests, and for networks whose owner says so (`PRIVATE_HOSTS=yes`). */
export function allowPrivateAddresses(isAllowed: boolean): void {
  arePrivateAllowed = isAllowed;
}

export function isPrivateAddress(address: string): boolean {
  return !arePrivateAllowed && !isPublicAddress(address);
}

/** Refuses a host that is an address itself and a private one; names are judged by `publicLookup`. */
export function refusePrivateAddress(host: string): void {
  if (isIP(host) !== 0 && isPrivateAddress(host)) throw new PrivateAddressError(host);
}

/** For `net.connect`: resolves as the system does, and fails where any of the addresses is private. */
export const publicLookup: LookupFunction = (host, options, callback) => {
  systemLookup(host, { ...options, all: true }, (error, addresses) => {
    const first = addresses?.[0];
    if (error || !first) {
      callback(error ?? new Error(`${host} has no address.`), '', 0);
      return;
    }
    if (addresses.some(({ address }) => isPrivateAddress(address))) {
      callback(new PrivateAddressError(host), '', 0);
      return;
    }
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

/** Resolves once, to know beforehand. Throws PrivateAddressError, or the resolver's own error. */
export function requirePublicHost(host: string): Promise<void> {
  refusePrivateAddress(host);
  if (isIP(host) !== 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    publicLookup(host, { all: true }, (error) => (error ? reject(error) : resolve()));
  });
}
