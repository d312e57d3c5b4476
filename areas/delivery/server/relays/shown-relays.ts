// What accounts are shown of relays: their own by name, and all that came of them. The installation's
// come from its configuration: their names, and what became of connections to them, are its operator's.
import type { Reader } from '#platform/server/database.ts';
import { listRelays } from './relays.sql.ts';

/** Shows what an answer came with: `code` is empty where nothing was answered. */
type Said = { code: string | null; reply: string | null; relay: string | null };
export type ShowRelay = <T extends Said>(said: T) => T;

/** For answers that tell which relay it was. */
export async function relaysShownTo(db: Reader, accountId: number): Promise<ShowRelay> {
  const own = new Set(
    (await listRelays(db, accountId)).flatMap(({ host, port }) => [host, `${host}:${port}`]),
  );
  return (said) => {
    if (said.relay !== null && own.has(said.relay)) return said;
    return { ...said, relay: null, reply: said.code ? said.reply : null };
  };
}

/** Do this account's mails leave through relays of its own? */
export async function hasOwnRelays(db: Reader, accountId: number): Promise<boolean> {
  return (await listRelays(db, accountId)).some((relay) => relay.is_on);
}
