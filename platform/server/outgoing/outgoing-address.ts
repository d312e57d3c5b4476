// Checks hosts that users supply and refuses private networks. Connections use the address that was
// checked, because the name may resolve differently later.
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../../public-address.ts';

/** The host resolves to a private address, which user-supplied URLs may not access. */
export class PrivateAddressError extends Error {
  constructor(host: string) {
    super(
      `${host} is an address of a private network. The operator allows these with PRIVATE_HOSTS=yes.`,
    );
  }
}

let arePrivateAllowed = false;

/** Allows private hosts, for tests and for operators who set `PRIVATE_HOSTS=yes`. */
export function allowPrivateAddresses(isAllowed: boolean): void {
  arePrivateAllowed = isAllowed;
}

export function isPrivateAddress(address: string): boolean {
  return !arePrivateAllowed && !isPublicAddress(address);
}

/** Refuses a host that is a private IP address; `publicLookup` checks names. */
export function refusePrivateAddress(host: string): void {
  if (isIP(host) !== 0 && isPrivateAddress(host)) throw new PrivateAddressError(host);
}

/** For `net.connect`: resolves as the system does, and fails if any of the addresses is private. */
export const publicLookup: LookupFunction = (host, options, callback) => {
  systemLookup(host, { ...options, all: true }, (error, addresses) => {
    const first = addresses?.[0];
    if (error || !first) {
      callback(error ?? new Error(`${host} does not resolve to an address.`), '', 0);
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

/** Resolves once, for early validation. Throws PrivateAddressError, or the resolver's error. */
export function requirePublicHost(host: string): Promise<void> {
  refusePrivateAddress(host);
  if (isIP(host) !== 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    publicLookup(host, { all: true }, (error) => (error ? reject(error) : resolve()));
  });
}
