// Visibility of relays to accounts: their own by name, with all replies. The installation's are
// configured by the operator: their names and connection failures are not shown.
import type { Reader } from '#platform/server/database/database.ts';
import { listRelays } from './relays.sql.ts';

/** Filters the fields of a reply: `code` is empty for none. */
type Said = { code: string | null; reply: string | null; relay: string | null };
export type ShowRelay = <T extends Said>(said: T) => T;

/** For replies with the name of their relay. */
export async function relaysShownTo(db: Reader, accountId: number): Promise<ShowRelay> {
  const own = new Set(
    (await listRelays(db, accountId)).flatMap(({ host, port }) => [host, `${host}:${port}`]),
  );
  return (said) => {
    if (said.relay !== null && own.has(said.relay)) return said;
    return { ...said, relay: null, reply: said.code ? said.reply : null };
  };
}

/** Whether the account's email uses relays of its own. */
export async function hasOwnRelays(db: Reader, accountId: number): Promise<boolean> {
  return (await listRelays(db, accountId)).some((relay) => relay.is_on);
}
