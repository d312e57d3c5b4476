// Reads the results of the daily checks for one domain: its listings on blocklists, and the reverse
// names of the addresses that send its email.
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { BlocklistState } from '../../contract.ts';
import { ADVICE_DAYS, addDays } from '../advice.ts';
import { getOrganizationalDomain } from '../reading/values.ts';
import type { Blocklist } from './blocklists.ts';
import * as store from './sending-dns.sql.ts';

const MAX_ADDRESSES = 50;

type SendingState = {
  /** Undefined if no address has a definite response. */
  isReverseConfirmed: boolean | undefined;
  blocklists: BlocklistState[];
};

export async function readSendingState(
  db: Reader,
  accountId: number,
  domain: { id: number; domain: string },
  { lists, ownIps }: { lists: readonly Blocklist[]; ownIps: readonly string[] },
): Promise<SendingState> {
  const day = addDays(clock.now().toISOString().slice(0, 10), 1 - ADVICE_DAYS);
  const filter = { domainId: domain.id, day, limit: MAX_ADDRESSES };
  const seenIps = await store.listSeenAddresses(db, accountId, filter);
  const addresses = await store.listIps(db, [...seenIps, ...ownIps]);
  const checkedAddresses = addresses.filter((address) => address.is_confirmed !== null);
  const name = getOrganizationalDomain(domain.domain);
  const states = await store.listStates(db, [name, ...addresses.map(({ ip }) => ip)]);
  return {
    isReverseConfirmed:
      checkedAddresses.length === 0
        ? undefined
        : checkedAddresses.every((address) => address.is_confirmed),
    blocklists: lists.flatMap((list) => presentList(list, name, states)),
  };
}

function presentList(
  list: Blocklist,
  domain: string,
  states: readonly store.ListState[],
): BlocklistState[] {
  const listStates = states.filter((state) => state.list === list.name);
  const base = { list: list.title, is_blocking: list.isBlocking };
  // An installation without its own sending addresses cannot be on a blocklist of addresses.
  if (listStates.length === 0) {
    return list.subject === 'ip'
      ? []
      : [{ ...base, subject: domain, state: 'unknown', since: null }];
  }
  return listStates.map(({ subject, state, since }) => ({
    ...base,
    subject,
    state: state === 'listed' || state === 'clear' ? state : 'unknown',
    since: state === 'listed' ? (since?.toISOString() ?? null) : null,
  }));
}
