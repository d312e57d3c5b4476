// Decides what accounts see of relays. Of their own relays, they see the names and all replies. Of
// the installation's relays, which the operator configured, they see neither the names nor
// connection failures.
import type { Reader } from '#platform/server/database/database.ts';
import { listRelays } from './relays.sql.ts';

/** `code` is null or empty for a failure without a reply. */
type RelayReply = { code: string | null; reply: string | null; relay: string | null };
export type ShowRelay = <T extends RelayReply>(reply: T) => T;

/**
 * Returns a function that hides the names and connection failures of the installation's relays from
 * replies.
 */
export async function listRelaysShownTo(db: Reader, accountId: number): Promise<ShowRelay> {
  const ownRelays = new Set(
    (await listRelays(db, accountId)).flatMap(({ host, port }) => [host, `${host}:${port}`]),
  );
  return (reply) => {
    if (reply.relay !== null && ownRelays.has(reply.relay)) return reply;
    return { ...reply, relay: null, reply: reply.code ? reply.reply : null };
  };
}

/** Returns whether the account's email uses its own relays. */
export async function hasOwnRelays(db: Reader, accountId: number): Promise<boolean> {
  return (await listRelays(db, accountId)).some((relay) => relay.is_on);
}
