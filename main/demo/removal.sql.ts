// Deletes an account with all of its rows.
import { sql } from 'kysely';
import { accountRemoved, waitForSubscribers } from '#areas/accounts/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';

/**
 * Tables with a column `account_id`, referencing tables before the tables that they reference.
 * Partitions are left out, because their rows are deleted through the parent.
 */
async function tablesOfAccounts(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ name: string; refers: string[] }>`
    select c.relname as name, array_remove(array_agg(distinct r.relname::text), null) as refers
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
    left join pg_constraint k on k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid
    left join pg_class r on r.oid = k.confrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    group by c.relname`.execute(tx);
  const references = new Map(rows.map(({ name, refers }) => [name, refers]));
  const orderedTables: string[] = [];
  const visit = (name: string) => {
    if (orderedTables.includes(name)) return;
    for (const [other, refers] of references) if (refers.includes(name)) visit(other);
    orderedTables.push(name);
  };
  for (const name of references.keys()) visit(name);
  return orderedTables;
}

/**
 * Users of the account remain, because they may belong to other accounts. Subscribers have no
 * foreign key to the account, so this first waits for transactions that add some; later ones fail.
 * Audit log entries have no foreign key either: an entry committed concurrently remains.
 */
export async function removeAccount(tx: Tx, accountId: number): Promise<void> {
  await waitForSubscribers(tx, accountId);
  await accountRemoved.announce(tx, { accountId });
  for (const table of await tablesOfAccounts(tx))
    await sql`delete from ${sql.table(table)} where account_id = ${accountId}`.execute(tx);
  await sql`delete from accounts where id = ${accountId}`.execute(tx);
}
