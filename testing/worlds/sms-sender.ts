// A verified SMS sender of an account, for tests of features other than verification.
import { sql } from 'kysely';
import type { Db } from '#platform/server/database/database.ts';

export async function addSmsSender(
  db: Db,
  accountId: number,
  value = '+15125550177',
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into phones (account_id, kind, value, value_key, use_case, status, proof, proven_at,
      created_at, modified_at)
    values (${accountId}, 'long_code', ${value}, ${value}, 'Offers', 'active', 'built_in', now(),
      now(), now())
    on conflict (account_id, value_key) where status <> 'released' do update set status = 'active'
    returning id`.execute(db);
  const id = rows[0]?.id as number;
  await sql`
    insert into phone_owners (value_key, account_id, phone_id) values (${value}, ${accountId}, ${id})
    on conflict (value_key) do update
    set account_id = excluded.account_id, phone_id = excluded.phone_id`.execute(db);
  return id;
}
