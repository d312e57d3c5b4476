// SQL of what became of the texts of a workflow's step: it is several messages, one for each of its texts and months.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database.ts';

export type StepMessage = { id: number; text: string | null; sender: string | null };

/** The last first. */
export async function messagesOfStep(
  db: Reader,
  accountId: number,
  stepId: number,
): Promise<StepMessage[]> {
  const { rows } = await sql<StepMessage>`
    select id, frozen->'text'->>'title' as text, frozen->'text'->>'from' as sender from messages
    where account_id = ${accountId} and kind = 'sms_workflow' and source_id = ${stepId}
    order by id desc`.execute(db);
  return rows;
}

/** Clicks of people, not of programs that look ahead; one link of several messages is one. */
export async function linksOfMessages(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<{ url: string; clicks: number; people: number }[]> {
  const { rows } = await sql<{ url: string; clicks: number; people: number }>`
    select l.url, count(e.at) as clicks, count(distinct e.subscriber_id) as people
    from links l
    left join events e on e.account_id = ${accountId} and e.message_id = l.message_id
      and e.kind = 'click' and e.link_position = l.position and e.verdict = 'human'
    where l.account_id = ${accountId} and l.message_id = any(${[...messageIds]}::bigint[])
    group by l.url order by clicks desc, l.url`.execute(db);
  return rows;
}
