// Queries for forecasts: finished campaigns, and the audience of a message.
import { sql } from 'kysely';
import { BUCKET_COUNT, excludeRange } from '#areas/experiments/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { Audience, Split } from './selection.sql.ts';

export type FinishedCampaign = {
  lead: number;
  messageIds: number[];
  startedAt: Date;
};

/**
 * Returns the newest campaigns whose messages all finished before an instant. Resends to
 * non-openers are omitted, because their results do not predict results for other audiences.
 */
export async function listFinishedCampaigns(
  db: Reader,
  accountId: number,
  before: Date,
  max: number,
): Promise<FinishedCampaign[]> {
  const { rows } = await sql<FinishedCampaign>`
    select m.id as lead, g.ids as "messageIds",
      coalesce(m.audience_as_of, m.created_at) as "startedAt"
    from messages m
    join lateral (
      select array_agg(id order by id) as ids,
        bool_and(state = 'finished' and finished_at < ${before}) as are_finished
      from messages o where o.account_id = ${accountId} and (o.id = m.id or o.group_of = m.id)
    ) g on g.are_finished
    where m.account_id = ${accountId} and m.kind = 'campaign' and m.state = 'finished'
      and m.finished_at < ${before} and (m.group_of is null or m.group_of = m.id)
      and not m.audience ? 'unopened'
    order by m.finished_at desc limit ${max}`.execute(db);
  return rows.map((row) => ({ ...row, messageIds: row.messageIds.map(Number) }));
}

type MessageAudience = {
  audience: Audience;
  asOf: Date;
  from: string;
  /**
   * Whether parts of the group are sent later: the rest after the decision, or delayed variants.
   */
  hasLaterParts: boolean;
};

/**
 * Returns the audience of a message, the as-of instant of its selection, and the From address. For
 * the lead of a group, the audience consists of all subscribers who get one of the group's
 * messages, now or after the decision.
 */
export async function readMessageAudience(
  db: Reader,
  accountId: number,
  messageId: number,
): Promise<MessageAudience | undefined> {
  const row = await db
    .selectFrom('messages')
    .select(['audience', 'audience_as_of', 'created_at'])
    .select(sql<string | null>`frozen #>> '{source,from,email}'`.as('from'))
    .where('account_id', '=', accountId)
    .where('id', '=', messageId)
    .executeTakeFirst();
  if (!row) return undefined;
  const audience: Audience = { all: false, groups: [], excluded: [], ...row.audience };
  const { places, split } = audience;
  if (places && split) {
    audience.places = { salt: places.salt, ranges: excludeRange(split.holdout) };
  }
  return {
    ...{ audience, asOf: row.audience_as_of ?? row.created_at, from: row.from ?? '' },
    hasLaterParts: split !== undefined && isPartlyLater(split),
  };
}

function isPartlyLater({ parts, holdout }: Split): boolean {
  const chosen = [...parts, holdout].reduce((sum, { from, to }) => sum + to - from, 0);
  return chosen < BUCKET_COUNT || parts.some(({ opens }) => opens !== undefined);
}
