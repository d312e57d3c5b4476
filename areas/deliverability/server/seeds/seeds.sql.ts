// Queries for seed mailboxes and the copies sent to them.
import { sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { SeedService } from '../../signals-shared.ts';
import { createTextFinder } from '#platform/server/erasure/texts.sql.ts';

/** Finds seed mailboxes whose address or login contains the address of an erased subscriber. */
export const findSeedsNaming = createTextFinder('seed_mailboxes', {
  kind: 'seed_mailbox',
  columns: ['email', 'login'],
});

export const {
  find: findSeed,
  update: updateSeed,
  deleteReturning: deleteSeed,
} = accountTable('seed_mailboxes', 'id');

export const listSeeds = (db: Reader, accountId: number) =>
  db
    .selectFrom('seed_mailboxes')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('email')
    .execute();

export type SeedRow = Awaited<ReturnType<typeof listSeeds>>[number];

/** Inserts a seed; undefined if the address is a seed already. */
export async function insertSeed(
  tx: Tx,
  accountId: number,
  seed: {
    email: string;
    host: string;
    port: number;
    login: string;
    /** The sealed password, or the sealed refresh token of the service. */
    password: Buffer;
    service: SeedService | null;
    at: Date;
  },
): Promise<SeedRow | undefined> {
  const { at, ...values } = seed;
  return tx
    .insertInto('seed_mailboxes')
    .values({ account_id: accountId, ...values, checked_at: at, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Inserts a copy of the message for each seed without one and returns the ids of these seeds. */
export async function insertCopies(
  tx: Tx,
  accountId: number,
  copy: { messageId: number; mark: string; at: Date; lookAt: Date },
): Promise<number[]> {
  const { rows } = await sql<{ seed_id: number }>`
    insert into seed_copies (account_id, message_id, seed_id, mark, sent_at, look_at)
    select account_id, ${copy.messageId}::bigint, id, ${copy.mark}, ${copy.at}, ${copy.lookAt}
    from seed_mailboxes where account_id = ${accountId}
    order by id
    on conflict do nothing returning seed_id`.execute(tx);
  return rows.map((row) => row.seed_id);
}

export type DueCopy = { message_id: number; seed_id: number; mark: string; sent_at: Date };

export const listDueCopies = (db: Reader, accountId: number, now: Date): Promise<DueCopy[]> =>
  db
    .selectFrom('seed_copies')
    .select(['message_id', 'seed_id', 'mark', 'sent_at'])
    .where('account_id', '=', accountId)
    .where('look_at', '<=', now)
    .orderBy('sent_at')
    .limit(200)
    .execute();

export const { update: updateCopy } = accountTable('seed_copies', 'message_id', 'seed_id');

export type CopyRow = {
  message_id: number;
  subject: string | null;
  sent_at: Date;
  email: string;
  place: string | null;
  folder: string | null;
  is_encrypted: boolean | null;
  settled_at: Date | null;
};

/** Lists the copies of the newest messages. */
export async function listNewestCopies(
  db: Reader,
  accountId: number,
  messages: number,
): Promise<CopyRow[]> {
  const { rows } = await sql<CopyRow>`
    with newest as materialized (
      select message_id, min(sent_at) as at from seed_copies
      where account_id = ${accountId} group by message_id order by at desc limit ${messages}
    )
    select c.message_id, m.frozen #>> '{source,subject}' as subject, newest.at as sent_at, s.email,
      c.place, c.folder, c.is_encrypted, c.settled_at
    from newest
    join seed_copies c on c.account_id = ${accountId} and c.message_id = newest.message_id
    join seed_mailboxes s on s.account_id = ${accountId} and s.id = c.seed_id
    left join messages m on m.account_id = ${accountId} and m.id = c.message_id
    order by newest.at desc, c.message_id desc, s.email`.execute(db);
  return rows;
}

type PlacedCopy = Pick<CopyRow, 'email' | 'place' | 'settled_at'> & { host: string };

/** Lists the copies of these messages, ordered by address. */
export function listMessageCopies(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<PlacedCopy[]> {
  return db
    .selectFrom('seed_copies as c')
    .innerJoin('seed_mailboxes as s', (join) =>
      join.onRef('s.id', '=', 'c.seed_id').on('s.account_id', '=', accountId),
    )
    .select(['s.email', 's.host', 'c.place', 'c.settled_at'])
    .where('c.account_id', '=', accountId)
    .where('c.message_id', '=', sql<number>`any(${[...messageIds]}::bigint[])`)
    .orderBy('s.email')
    .orderBy('c.message_id')
    .execute();
}

/**
 * Counts the copies from one sender domain since an instant: those received with TLS, and all whose
 * transport is known.
 */
export async function countEncrypted(
  db: Reader,
  accountId: number,
  domain: string,
  since: Date,
): Promise<{ encrypted: number; known: number }> {
  const { rows } = await sql<{ encrypted: number; known: number }>`
    select count(*) filter (where c.is_encrypted)::int as encrypted, count(*)::int as known
    from seed_copies c
    join messages m on m.account_id = ${accountId} and m.id = c.message_id
    where c.account_id = ${accountId} and c.sent_at >= ${since} and c.is_encrypted is not null
      and lower(split_part(m.frozen #>> '{source,from,email}', '@', 2)) = ${domain}`.execute(db);
  return rows[0] ?? { encrypted: 0, known: 0 };
}

export async function deleteOldCopies(tx: Tx, accountId: number, before: Date): Promise<void> {
  await tx
    .deleteFrom('seed_copies')
    .where('account_id', '=', accountId)
    .where('sent_at', '<', before)
    .execute();
}
