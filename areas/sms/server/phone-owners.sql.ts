// Queries for number ownership, across all accounts of the installation.
import { sql } from 'kysely';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';

export type OwnedPhone = {
  account_id: number;
  id: number;
  kind: string;
  value: string;
  proof: string | null;
};

/** Returns the phone that owns the number, or undefined if there is none or it was released. */
export async function findOwner(db: Reader, valueKey: string): Promise<OwnedPhone | undefined> {
  const { rows } = await sql<{ account_id: number; phone_id: number }>`
    select account_id, phone_id from phone_owners where value_key = ${valueKey}`.execute(db);
  const [owner] = rows;
  return owner && findOwned(db, owner.account_id, owner.phone_id);
}

/** Finds the owner if exactly one of these numbers has one. */
export async function findOnlyOwner(
  db: Reader,
  valueKeys: readonly string[],
): Promise<OwnedPhone | undefined> {
  const { rows } = await sql<{ account_id: number; phone_id: number }>`
    select account_id, phone_id from phone_owners
    where value_key = any(${[...valueKeys]}::text[]) limit 2`.execute(db);
  const [owner, second] = rows;
  return owner && !second ? findOwned(db, owner.account_id, owner.phone_id) : undefined;
}

async function findOwned(
  db: Reader,
  accountId: number,
  id: number,
): Promise<OwnedPhone | undefined> {
  const { rows } = await sql<OwnedPhone>`
    select account_id, id, kind, value, proof from phones
    where account_id = ${accountId} and id = ${id} and status <> 'released'`.execute(db);
  return rows[0];
}

/**
 * Makes a phone the owner of the number. Returns false if another phone owns it; a released or
 * deleted owner is replaced.
 */
export async function claimNumber(
  tx: Tx,
  accountId: number,
  id: number,
  valueKey: string,
): Promise<boolean> {
  const { rows } = await sql<{ account_id: number; phone_id: number }>`
    select account_id, phone_id from phone_owners where value_key = ${valueKey} for update`.execute(
    tx,
  );
  const [known] = rows;
  if (known) {
    const isOwn = known.account_id === accountId && known.phone_id === id;
    if (isOwn) return true;
    if (await findOwned(tx, known.account_id, known.phone_id)) return false;
    await sql`delete from phone_owners where value_key = ${valueKey}`.execute(tx);
  }
  const { numAffectedRows } = await sql`
    insert into phone_owners (value_key, account_id, phone_id)
    values (${valueKey}, ${accountId}, ${id})
    on conflict (value_key) do nothing`.execute(tx);
  if (numAffectedRows === 1n) return true;
  // A concurrent transaction claimed the number, possibly for the same phone.
  const owner = await findOwner(tx, valueKey);
  return owner?.account_id === accountId && owner.id === id;
}

export async function releaseNumber(
  tx: Tx,
  accountId: number,
  id: number,
  valueKey: string,
): Promise<void> {
  await sql`
    delete from phone_owners
    where value_key = ${valueKey} and account_id = ${accountId} and phone_id = ${id}`.execute(tx);
}

/** Returns the given numbers that have an owner. */
export async function findOwnedNumbers(
  db: Reader,
  numbers: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ value_key: string }>`
    select value_key from phone_owners where value_key = any(${[...numbers]}::text[])`.execute(db);
  return new Set(rows.map((row) => row.value_key));
}

export type WaitingPhone = {
  account_id: number;
  id: number;
  kind: string;
  value: string;
  value_key: string;
  use_case: string;
  created_at: Date;
};

/** Returns unreleased senders without a proof, of all accounts, with identical numbers adjacent. */
export async function listWaiting(db: Reader, limit: number): Promise<WaitingPhone[]> {
  return acrossAccounts(
    db,
    (withinNodes) => sql<WaitingPhone>`
      select account_id, id, kind, value, value_key, use_case, created_at from phones
      where proof is null and status <> 'released' and ${withinNodes(sql`account_id`)}
      order by value_key, created_at, account_id, id limit ${limit}`,
  );
}

/** Counts the accounts that have an unreleased sender with each of these numbers. */
export async function countHolders(
  db: Reader,
  valueKeys: readonly string[],
): Promise<Map<string, number>> {
  if (valueKeys.length === 0) return new Map();
  const rows = await acrossAccounts(
    db,
    (withinNodes) => sql<{ value_key: string; count: number }>`
      select value_key, count(*) as count from phones
      where value_key = any(${[...valueKeys]}::text[]) and status <> 'released'
        and kind <> 'alphanumeric' and ${withinNodes(sql`account_id`)}
      group by value_key`,
  );
  return new Map(rows.map((row) => [row.value_key, row.count]));
}

/** Returns the installation's first account. */
export async function findFirstAccount(db: Reader): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`select id from accounts order by id limit 1`.execute(
    db,
  );
  return rows[0]?.id;
}
