// Simulates an unavailable database node on a server without a cluster: statements fail with the
// error of a cluster's coordinator.
import { sql } from 'kysely';
import type { Db } from '#platform/server/database/database.ts';

/**
 * Makes inserts of rows fail for which `isAway`, an SQL expression over the row `new`, is true.
 * The returned function makes the node available again.
 */
export async function failNode(
  db: Db,
  table: string,
  isAway = 'true',
): Promise<() => Promise<void>> {
  const name = `${table}_away`;
  const run = (text: string) => sql.raw(text).execute(db);
  await run(`create function ${name}() returns trigger language plpgsql as $$ begin
    if ${isAway} then
      raise exception 'connection to the remote node 10.0.0.2:5432 failed' using errcode = '08006';
    end if;
    return new;
  end $$`);
  await run(
    `create trigger ${name} before insert on ${table} for each row execute function ${name}()`,
  );
  return async () => {
    await run(`drop trigger ${name} on ${table}`);
    await run(`drop function ${name}()`);
  };
}

/**
 * Makes every statement that reads or writes a row of the account in one of these tables fail, as
 * if the account's node were unavailable. The returned function makes the node available again.
 */
export async function failAccountNode(
  db: Db,
  accountId: number,
  tables: readonly string[],
): Promise<() => Promise<void>> {
  const run = (text: string) => sql.raw(text).execute(db);
  await run(`create function is_there(account bigint) returns boolean language plpgsql as $$ begin
    if account = ${accountId} then
      raise exception 'connection to the remote node 10.0.0.2:5432 failed' using errcode = '08006';
    end if;
    return true;
  end $$`);
  const keyOf = (table: string) => (table === 'accounts' ? 'id' : 'account_id');
  for (const table of tables) {
    await run(`alter table ${table} rename to ${table}_there`);
    await run(`create view ${table} as select * from ${table}_there where is_there(${keyOf(table)})
      with check option`);
  }
  return async () => {
    for (const table of tables) {
      await run(`drop view ${table}`);
      await run(`alter table ${table}_there rename to ${table}`);
    }
    await run('drop function is_there(bigint)');
  };
}
