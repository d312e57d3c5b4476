// Records the countries where API tokens and connected assistants are used, because a leaked secret
// is usually used from a new country.
import { clock } from '#platform/server/clock.ts';
import { findCountries } from '#platform/server/country.ts';
import { shareReads } from '#platform/server/database/batching.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import { usedFromNewCountry } from './events.ts';

type Key = { accountId: number; id: number };

type Credential = {
  userId: number;
  title: string;
  countries: readonly string[];
  /** The IP address of the last use: the only trace of uses from before countries were recorded. */
  lastIp: string | null;
};

/** Reads and saves the rows of one kind of credential. */
export type CredentialStore = {
  kind: 'token' | 'assistant';
  /**
   * Locks the credential until the transaction ends; returns undefined if it is no longer valid.
   */
  lock(tx: Tx, key: Key): Promise<Credential | undefined>;
  save(tx: Tx, key: Key, countries: string[]): Promise<unknown>;
};

/**
 * Stores the country of a use and announces a new country. The first country is not announced
 * because it is where the owner's program runs. A known country costs no statement. Must run before
 * the `last_ip` of this use is stored. A failure is only logged, so the request continues and the
 * next use retries.
 * @param countries the countries of the credential, as read when it was looked up
 */
export async function recordCountry(
  db: Db,
  store: CredentialStore,
  key: Key,
  { ip, countries }: { ip: string; countries: readonly string[] },
): Promise<void> {
  const logFields = { account: key.accountId, [store.kind]: key.id };
  await isolateFailure('Could not record the country of a use', logFields, async () => {
    const country = (await findCountries([ip])).get(ip);
    if (country !== undefined && !countries.includes(country))
      await addCountryOnce({ db, store, key, ip, country });
  });
}

type Use = { store: CredentialStore; key: Key; ip: string; country: string };

/**
 * Calls for one credential and country share one update because concurrent updates would wait for
 * each other.
 */
const addCountryOnce = shareReads(
  ({ db, ...use }: Use & { db: Db }) => inTransaction(db, (tx) => addCountry(tx, use)),
  ({ store, key, country }) => `${store.kind} ${key.accountId} ${key.id} ${country}`,
);

async function addCountry(tx: Tx, { store, key, ip, country }: Use): Promise<void> {
  const credential = await store.lock(tx, key);
  // Another process may have stored the country.
  if (!credential || credential.countries.includes(country)) return;
  const { userId, title, countries, lastIp } = credential;
  const knownCountries = countries.length > 0 ? countries : await readCountriesBefore(lastIp);
  await store.save(tx, key, [...new Set([...knownCountries, country])]);
  if (knownCountries.length === 0 || knownCountries.includes(country)) return;
  const { kind } = store;
  await usedFromNewCountry.announce(tx, {
    ...{ accountId: key.accountId, kind, id: key.id, userId, title, country, ip },
    at: clock.now(),
  });
}

const readCountriesBefore = async (lastIp: string | null): Promise<string[]> =>
  lastIp === null ? [] : [...(await findCountries([lastIp])).values()];
