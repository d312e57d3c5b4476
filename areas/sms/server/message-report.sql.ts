// Finds the messages of a workflow's SMS step, or of transactional SMS with one title. There are several,
// for example one for each version of the text.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';
import type { SmsReportSource } from '../message-report-contract.ts';

export type SourceMessage = { id: number; text: string | null; sender: string | null };

/** Returns the messages of a source, newest first. */
export async function findMessagesOfSource(
  db: Reader,
  accountId: number,
  { kind, id }: SmsReportSource,
): Promise<SourceMessage[]> {
  const { rows } = await sql<SourceMessage>`
    select id, frozen->'text'->>'title' as text, frozen->'text'->>'from' as sender from messages
    where account_id = ${accountId} and kind = ${kind} and source_id = ${id}
    order by id desc`.execute(db);
  return rows;
}
