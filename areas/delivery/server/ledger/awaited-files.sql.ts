// Finds the attached files that must not be deleted, because messages with unsent copies attach
// them.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';

/**
 * Answers `files.awaited` with the given files that messages still need. A message with an
 * audience needs its files until it is finished. Shared messages of single sends never finish, and
 * streams are open for a long time; these need their files while copies wait or are in flight.
 */
export async function findAwaitedFiles(
  tx: Tx,
  { accountId, keys }: { accountId: number; keys: readonly string[] },
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select distinct f.file ->> 'key' as key
    from messages m
    cross join lateral jsonb_array_elements(m.frozen #> '{source,files}') f (file)
    where m.account_id = ${accountId} and m.channel = 'email'
      and f.file ->> 'key' = any(${[...keys]}::text[])
      and m.state not in ('finished', 'cancelled')
      and ((m.frozen_hash is null and m.stream_key is null)
        or exists (select 1 from single_sends s where s.account_id = ${accountId}
          and s.message_id = m.id and s.state in ('pending', 'deferred', 'handing_over'))
        or exists (select 1 from lanes l where l.account_id = ${accountId}
          and l.message_id = m.id and l.leased < l.written)
        or exists (select 1 from leases l where l.account_id = ${accountId}
          and l.message_id = m.id and not l.is_done)
        or exists (select 1 from deferrals d where d.account_id = ${accountId}
          and d.message_id = m.id))`.execute(tx);
  return rows.map((row) => row.key);
}
