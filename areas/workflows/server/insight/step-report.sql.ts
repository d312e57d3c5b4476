// Reads opens, clicks, bounces, unsubscribes and complaints of a step's email, which consists of
// several messages: one per content, pass and month.
import { type RawBuilder, sql } from 'kysely';
import type { ListRequest } from '#platform/contract.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { toContainsPattern } from '#platform/server/database/like.ts';
import type { Slice } from '#platform/server/database/lists.ts';
import type { StepAction } from '../../shared.ts';

export type StepActionRow = {
  subscriber_id: number;
  is_known: boolean;
  email: string | null;
  at: Date;
  count: number | null;
  is_human: boolean | null;
};

export type StepActionSet = {
  accountId: number;
  messageIds: readonly number[];
  action: StepAction;
  search: string | undefined;
};

/**
 * Columns with the time, and for opens and clicks also the number and the time of the first action
 * by a person.
 */
const COLUMNS: Record<StepAction, { at: string; count?: string; firstHumanAt?: string }> = {
  opens: { at: 'first_open_at', count: 'opens', firstHumanAt: 'first_human_open_at' },
  clicks: { at: 'first_click_at', count: 'clicks', firstHumanAt: 'first_human_click_at' },
  hard_bounces: { at: 'hard_bounced_at' },
  soft_bounces: { at: 'soft_bounced_at' },
  unsubscribes: { at: 'unsubscribed_at' },
  complaints: { at: 'complained_at' },
};

const selectSubscribers = ({ accountId, messageIds, action, search }: StepActionSet) => {
  const { at, count, firstHumanAt } = COLUMNS[action];
  const like = search === undefined ? undefined : toContainsPattern(search);
  return sql`(
    select subscriber_id, min(${sql.ref(at)}) as at,
      ${count ? sql`sum(${sql.ref(count)})::int` : sql`null::int`} as count,
      ${firstHumanAt ? sql`bool_or(${sql.ref(firstHumanAt)} is not null)` : sql`null::boolean`} as is_human
    from outcomes
    where account_id = ${accountId} and message_id = any(${[...messageIds]}::bigint[])
      and ${sql.ref(at)} is not null
    group by subscriber_id
  ) act left join subscribers s on s.account_id = ${accountId} and s.id = act.subscriber_id
    and s.deleted_at is null
  where ${like === undefined ? sql`true` : sql`s.email ilike ${like}`}`;
};

export async function readStepActions(
  db: Reader,
  actionSet: StepActionSet,
  list: ListRequest<'at' | 'email'>,
  slice: Slice,
): Promise<StepActionRow[]> {
  const order: RawBuilder<unknown> = list.order === 'email' ? sql`s.email` : sql`act.at`;
  const { rows } = await sql<StepActionRow>`
    select act.subscriber_id, s.id is not null as is_known, s.email, act.at, act.count, act.is_human
    from ${selectSubscribers(actionSet)}
    order by ${order} ${sql.raw(list.direction)} nulls last, act.subscriber_id
    limit ${slice.limit} offset ${slice.offset}`.execute(db);
  return rows;
}

export async function countStepActions(db: Reader, actionSet: StepActionSet): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${selectSubscribers(actionSet)}`.execute(db);
  return rows[0]?.count ?? 0;
}
