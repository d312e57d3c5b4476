// Finds personal data in the whole database.
import { sql } from 'kysely';
import type { Db } from '#platform/server/database/database.ts';

/** Returns the tables with a row that contains `text` in any case; `text` must be lower case. */
export async function findTablesContaining(db: Db, text: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema') order by 1`.execute(db);
  const matchingTables: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql`
      select 1 from ${sql.raw(name)} t where position(${text} in lower(t::text)) > 0
      limit 1`.execute(db);
    if (rows.length > 0) matchingTables.push(name.replace('public.', ''));
  }
  return matchingTables;
}
