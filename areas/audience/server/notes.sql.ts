// Queries for notes about subscribers.
import { type Selectable, sql } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Removes the addresses of erased subscribers from notes about other subscribers. */
export const rewriteNotes = createTextRewriter('subscriber_notes', { columns: ['text'] });

export type SubscriberNoteRow = Selectable<DB['subscriber_notes']>;

export async function listNotes(
  db: Reader,
  accountId: number,
  subscriberId: number,
): Promise<SubscriberNoteRow[]> {
  const { rows } = await sql<SubscriberNoteRow>`
    select * from subscriber_notes
    where account_id = ${accountId} and subscriber_id = ${subscriberId}
    order by id desc`.execute(db);
  return rows;
}

export function insertNote(
  tx: Tx,
  accountId: number,
  note: Pick<SubscriberNoteRow, 'subscriber_id' | 'text' | 'user_id' | 'author' | 'created_at'>,
): Promise<SubscriberNoteRow> {
  return tx
    .insertInto('subscriber_notes')
    .values({ account_id: accountId, ...note })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteNote(
  tx: Tx,
  accountId: number,
  subscriberId: number,
  id: number,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('subscriber_notes')
    .where('account_id', '=', accountId)
    .where('subscriber_id', '=', subscriberId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteNotesAbout(
  tx: Tx,
  accountId: number,
  subscriberIds: readonly number[],
): Promise<void> {
  await sql`
    delete from subscriber_notes
    where account_id = ${accountId} and subscriber_id = any(${[...subscriberIds]}::bigint[])
  `.execute(tx);
}
