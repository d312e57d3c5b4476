// Queries for sending domains and their keys.
import { type Selectable, sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { createTextFinder } from '#platform/server/erasure/texts.sql.ts';

/** Finds the addresses of erased subscribers in sender addresses. */
export const findDomainsNaming = createTextFinder('domains', {
  kind: 'domain',
  columns: ['email'],
  title: 'domain',
});

export type DomainRow = Selectable<DB['domains']>;
export type KeyRow = Selectable<DB['domain_keys']>;

export async function insertDomain(
  tx: Tx,
  domain: { accountId: number; name: string; email: string; secretHash: Buffer; at: Date },
): Promise<DomainRow | undefined> {
  return tx
    .insertInto('domains')
    .values({
      account_id: domain.accountId,
      domain: domain.name,
      email: domain.email,
      email_secret_hash: domain.secretHash,
      created_at: domain.at,
      modified_at: domain.at,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'domain']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function insertKey(
  tx: Tx,
  key: {
    accountId: number;
    domainId: number;
    selector: string;
    publicKey: string;
    sealedPrivateKey: Buffer;
    at: Date;
  },
): Promise<void> {
  await tx
    .insertInto('domain_keys')
    .values({
      account_id: key.accountId,
      domain_id: key.domainId,
      selector: key.selector,
      public_key: key.publicKey,
      sealed_private_key: key.sealedPrivateKey,
      created_at: key.at,
    })
    .execute();
}

const ofAccount = (db: Reader, accountId: number) =>
  db.selectFrom('domains').where('account_id', '=', accountId);

export async function listVerifiedNames(db: Reader, accountId: number): Promise<string[]> {
  const rows = await ofAccount(db, accountId)
    .select('domain')
    .where('email_verified_at', 'is not', null)
    .where('dns_verified_at', 'is not', null)
    .execute();
  return rows.map((row) => row.domain);
}

/** Lists all domains of an account (there are few) with the columns to search and sort by. */
export const listNames = (db: Reader, accountId: number) =>
  ofAccount(db, accountId).select(['id', 'domain', 'created_at', 'modified_at']).execute();

/** Finds the domains with these ids, in the order of `ids`. */
export async function findDomains(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<DomainRow[]> {
  if (ids.length === 0) return [];
  const rows = await ofAccount(db, accountId).selectAll().where('id', 'in', ids).execute();
  return rows.sort((row, otherRow) => ids.indexOf(row.id) - ids.indexOf(otherRow.id));
}

export const findDomain = (db: Reader, accountId: number, id: number) =>
  ofAccount(db, accountId).selectAll().where('id', '=', id).executeTakeFirst();

export const findDomainByName = (db: Reader, accountId: number, name: string) =>
  ofAccount(db, accountId).selectAll().where('domain', '=', name).executeTakeFirst();

export function findKeys(db: Reader, accountId: number, domainIds: number[]): Promise<KeyRow[]> {
  if (domainIds.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('domain_keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('domain_id', 'in', domainIds)
    .orderBy('selector')
    .execute();
}

const changing = (tx: Tx, accountId: number) =>
  tx.updateTable('domains').where('account_id', '=', accountId);

export async function updateSecret(
  tx: Tx,
  accountId: number,
  id: number,
  hash: Buffer,
  at: Date,
): Promise<void> {
  await changing(tx, accountId)
    .set({ email_secret_hash: hash, modified_at: at })
    .where('id', '=', id)
    .execute();
}

/** Lists verified domains with the records found at the last check. */
export const listVerifiedRows = (db: Reader, accountId: number) =>
  ofAccount(db, accountId)
    .select(['domain', 'dns_status'])
    .where('dns_verified_at', 'is not', null)
    .where('email_verified_at', 'is not', null)
    .orderBy('id')
    .execute();

/**
 * Confirms the domain if its latest emailed secret has this hash. Confirming again keeps the first
 * time.
 */
export const confirmEmail = (tx: Tx, accountId: number, hash: Buffer, confirmedAt: Date) =>
  changing(tx, accountId)
    .set((eb) => ({
      email_verified_at: eb.fn.coalesce('email_verified_at', eb.val(confirmedAt)),
      modified_at: confirmedAt,
    }))
    .where('email_secret_hash', '=', hash)
    .returningAll()
    .executeTakeFirst();

export const saveCheck = (
  tx: Tx,
  accountId: number,
  id: number,
  check: { status: string; verifiedAt: Date | null; at: Date },
) =>
  changing(tx, accountId)
    .set({
      dns_status: check.status,
      dns_verified_at: check.verifiedAt,
      dns_checked_at: check.at,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

export const { delete: deleteDomain } = accountTable('domains', 'id');

/**
 * Lists at most 100 due domains of one account, longest unchecked first. A domain is due if it was
 * never checked, or last checked before `regular`. Unverified domains added after `recentSince`,
 * and domains with records first missing after `recentSince`, are due if last checked before
 * `frequent`.
 */
export const listDueDomains = (
  db: Reader,
  accountId: number,
  dueBefore: { regular: Date; frequent: Date; recentSince: Date },
) =>
  ofAccount(db, accountId)
    .select('id')
    .where((eb) =>
      eb.or([
        eb('dns_checked_at', 'is', null),
        eb('dns_checked_at', '<', dueBefore.regular),
        eb.and([
          eb('dns_checked_at', '<', dueBefore.frequent),
          eb('dns_verified_at', 'is', null),
          eb('created_at', '>', dueBefore.recentSince),
        ]),
        eb.and([
          eb('dns_checked_at', '<', dueBefore.frequent),
          eb(sql<Date>`(dns_status ->> 'missed_at')::timestamptz`, '>', dueBefore.recentSince),
        ]),
      ]),
    )
    .orderBy('dns_checked_at', (order) => order.asc().nullsFirst())
    .orderBy('id')
    .limit(100)
    .execute();
