// Queries for transactional emails (templates) and the results of emails sent with or without a
// template.
import { type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import { transactionalSingles } from '#areas/delivery/server/ledger/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { toContainsPattern } from '#platform/server/database/like.ts';
import type { Slice } from '#platform/server/database/lists.ts';
import type { TransactionalActivity, Period } from '../shared.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Removes the addresses of erased subscribers from titles. */
export const rewriteEmails = createTextRewriter('transactional_emails');

export type EmailRow = Selectable<DB['transactional_emails']>;
export type EmailChanges = Updateable<DB['transactional_emails']>;
type EmailSort = 'created' | 'title' | 'modified';

const ORDER = {
  created: 'created_at',
  modified: 'modified_at',
  title: sql`lower(title) collate "und-x-icu"`,
} as const;

const isListed = (accountId: number, search: string | undefined) => sql`
  account_id = ${accountId} and deleted_at is null
  and ${search ? sql`(title ilike ${toContainsPattern(search)} or subject ilike ${toContainsPattern(search)})` : sql`true`}`;

export async function listEmails(
  db: Reader,
  accountId: number,
  list: ListRequest<EmailSort>,
  { limit, offset }: Slice,
): Promise<EmailRow[]> {
  const sortColumn = ORDER[list.order];
  const key = typeof sortColumn === 'string' ? sql.ref(sortColumn) : sortColumn;
  const sqlDirection = list.direction === 'asc' ? sql`asc` : sql`desc`;
  const { rows } = await sql<EmailRow>`
    select * from transactional_emails where ${isListed(accountId, list.search)}
    order by ${key} ${sqlDirection}, id ${sqlDirection} limit ${limit} offset ${offset}`.execute(
    db,
  );
  return rows;
}

export async function countEmails(db: Reader, accountId: number, search?: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from transactional_emails
    where ${isListed(accountId, search)}`.execute(db);
  return rows[0]?.count ?? 0;
}

const selectEmail = (db: Reader, accountId: number, id: number) =>
  db
    .selectFrom('transactional_emails')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null);

export function findEmail(
  db: Reader,
  accountId: number,
  id: number,
): Promise<EmailRow | undefined> {
  return selectEmail(db, accountId, id).executeTakeFirst();
}

export function lockEmail(tx: Tx, accountId: number, id: number): Promise<EmailRow | undefined> {
  return selectEmail(tx, accountId, id).forUpdate().executeTakeFirst();
}

export type TransactionalUseRow = Pick<
  EmailRow,
  | 'id'
  | 'title'
  | 'subject'
  | 'preheader'
  | 'from_name'
  | 'from_email'
  | 'reply_to'
  | 'variables'
  | 'content_id'
>;

/** Lists all templates of the account, of which there are at most `MAX_EMAILS`. */
export async function listAllEmails(db: Reader, accountId: number): Promise<TransactionalUseRow[]> {
  const { rows } = await sql<TransactionalUseRow>`
    select id, title, subject, preheader, from_name, from_email, reply_to, variables, content_id
    from transactional_emails
    where account_id = ${accountId} and deleted_at is null order by id`.execute(db);
  return rows;
}

export async function insertEmail(
  tx: Tx,
  accountId: number,
  row: EmailChanges & { title: string },
  at: Date,
): Promise<number> {
  const insertion = await tx
    .insertInto('transactional_emails')
    .values({ ...row, id: undefined, account_id: accountId, created_at: at, modified_at: at })
    .returning('id')
    .executeTakeFirstOrThrow();
  return insertion.id;
}

export const { update: updateEmail } = accountTable('transactional_emails', 'id');

export type FigureRow = {
  sent: number;
  delivered: number;
  opens: number;
  clicks: number;
  bounces: number;
  unsubscribes: number;
  spam: number;
};

/**
 * Sums over rows of `withOutcomes`. Opens, clicks, unsubscribes and complaints are counted once per
 * subscriber and message; `bounces` includes emails that no relay accepted.
 */
const FIGURES = sql`
  count(*) filter (where x.state = 'accepted') as sent,
  count(*) filter (where x.state = 'accepted' and o.returned_at is null) as delivered,
  count(distinct (x.message_id, x.person_id)) filter (where o.first_human_open_at is not null) as opens,
  count(distinct (x.message_id, x.person_id)) filter (where o.first_human_click_at is not null) as clicks,
  count(*) filter (where x.state = 'failed' or o.returned_at is not null) as bounces,
  count(distinct (x.message_id, x.person_id)) filter (where o.unsubscribed_at is not null) as unsubscribes,
  count(distinct (x.message_id, x.person_id)) filter (where o.complained_at is not null) as spam`;

const withOutcomes = (accountId: number) => sql`
  (${transactionalSingles(accountId)}) x
  left join outcomes o on o.account_id = ${accountId} and o.message_id = x.message_id
    and o.subscriber_id = x.person_id`;

/** Used instead of a template's ID for all emails that were sent without a template. */
export const NO_TEMPLATE = 0;

const ofTemplate = (table: 'x' | 'a' | 'm', id: number) => {
  const source = sql.ref(`${table}.source_id`);
  return id === NO_TEMPLATE ? sql`${source} is null` : sql`${source} = ${id}`;
};

/** Returns the figures of all emails without a template; undefined if there are none. */
export async function readOtherCounts(
  db: Reader,
  accountId: number,
): Promise<FigureRow | undefined> {
  const { rows } = await sql<FigureRow & { total: number }>`
    select count(*) as total, ${FIGURES} from ${withOutcomes(accountId)}
    where ${ofTemplate('x', NO_TEMPLATE)}`.execute(db);
  const [row] = rows;
  if (row === undefined || row.total === 0) return undefined;
  const { total: _, ...figures } = row;
  return figures;
}

export type SentEmailRow = {
  id: number;
  message_id: number;
  subscriber_id: number | null;
  recipient: string;
  state: string;
  reason: string | null;
  reply: string | null;
  created_at: Date;
  finished_at: Date | null;
  opened_at: Date | null;
  clicked_at: Date | null;
  returned_at: Date | null;
  unsubscribed_at: Date | null;
  complained_at: Date | null;
};

/** @param id of the template, or NO_TEMPLATE */
export async function findSent(
  db: Reader,
  accountId: number,
  id: number,
  singleId: number,
): Promise<SentEmailRow | undefined> {
  const { rows } = await sql<SentEmailRow>`
    select x.id, x.message_id, x.subscriber_id, x.recipient, x.state, x.reason, x.reply,
      x.created_at, x.finished_at, o.first_human_open_at as opened_at,
      o.first_human_click_at as clicked_at, o.returned_at, o.unsubscribed_at, o.complained_at
    from ${withOutcomes(accountId)}
    where x.id = ${singleId} and ${ofTemplate('x', id)}`.execute(db);
  return rows[0];
}

export async function readFigures(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, FigureRow>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<FigureRow & { source_id: number }>`
    select x.source_id, ${FIGURES} from ${withOutcomes(accountId)}
    where x.source_id = any(${[...ids]}::bigint[]) group by x.source_id`.execute(db);
  return new Map(rows.map(({ source_id, ...figures }) => [source_id, figures]));
}

export type ReportPeriod = { from: string; to: string; zone: string; period: Period };

/**
 * Reads statistics of one template, or of all emails without one, by periods in the given time
 * zone. Empty periods are left out.
 */
export async function readPeriods(
  db: Reader,
  accountId: number,
  id: number,
  { from, to, zone, period }: ReportPeriod,
): Promise<(FigureRow & { date: string })[]> {
  const local = sql`(x.created_at at time zone ${zone})`;
  const { rows } = await sql<FigureRow & { date: string }>`
    select to_char(date_trunc(${period}, ${local}), 'YYYY-MM-DD') as date, ${FIGURES}
    from ${withOutcomes(accountId)}
    where ${ofTemplate('x', id)} and ${local} >= ${from}::date and ${local} < ${to}::date + 1
    group by 1 order by 1`.execute(db);
  return rows;
}

export type ActivityEntry = {
  id: number;
  email: string;
  subscriber_id: number | null;
  at: Date;
  url: string | null;
  reason: string | null;
  reply: string | null;
};

const NO_DETAILS = sql`null::text as url, null::text as reason, null::text as reply`;

/** Selects the entries for one kind of activity, with their times. */
function activityOf(accountId: number, kind: TransactionalActivity): RawBuilder<unknown> {
  const outcome = (column: string) => sql`
    select x.source_id, x.id, x.recipient as email, x.subscriber_id, ${sql.ref(`o.${column}`)} as at, ${NO_DETAILS}
    from ${withOutcomes(accountId)} where ${sql.ref(`o.${column}`)} is not null`;
  switch (kind) {
    case 'sent':
      return sql`
        select x.source_id, x.id, x.recipient as email, x.subscriber_id,
          coalesce(x.finished_at, x.created_at) as at, ${NO_DETAILS}
        from (${transactionalSingles(accountId)}) x where x.state = 'accepted'`;
    case 'not_sent':
      return sql`
        select x.source_id, x.id, x.recipient as email, x.subscriber_id,
          coalesce(x.finished_at, x.created_at) as at, null::text as url,
          coalesce(x.reason, x.state::text) as reason, x.reply
        from (${transactionalSingles(accountId)}) x where x.state in ('failed', 'skipped', 'unknown')`;
    case 'opens':
      return outcome('first_human_open_at');
    case 'bounces':
      return outcome('returned_at');
    case 'unsubscribes':
      return outcome('unsubscribed_at');
    case 'spam':
      return outcome('complained_at');
    case 'clicks':
      return sql`
        select x.source_id, x.id, x.recipient as email, x.subscriber_id, e.at, l.url,
          null::text as reason, null::text as reply
        from (${transactionalSingles(accountId)}) x
        join events e on e.account_id = ${accountId} and e.message_id = x.message_id
          and e.subscriber_id = x.person_id and e.kind = 'click' and e.verdict = 'human'
        left join links l on l.account_id = ${accountId} and l.message_id = e.message_id
          and l.position = e.link_position`;
  }
}

type ActivityFilter = { id: number; kind: TransactionalActivity; search: string | undefined };

const filteredActivity = (accountId: number, { id, kind, search }: ActivityFilter) => sql`
  (${activityOf(accountId, kind)}) a where ${ofTemplate('a', id)}
  and ${search ? sql`a.email ilike ${toContainsPattern(search)}` : sql`true`}`;

export async function listActivity(
  db: Reader,
  accountId: number,
  filter: ActivityFilter,
  direction: 'asc' | 'desc',
  { limit, offset }: Slice,
): Promise<ActivityEntry[]> {
  const sqlDirection = direction === 'asc' ? sql`asc` : sql`desc`;
  const { rows } = await sql<ActivityEntry>`
    select a.id, a.email, a.subscriber_id, a.at, a.url, a.reason, a.reply
    from ${filteredActivity(accountId, filter)}
    order by a.at ${sqlDirection}, a.id ${sqlDirection} limit ${limit} offset ${offset}`.execute(
    db,
  );
  return rows;
}

export async function countActivity(
  db: Reader,
  accountId: number,
  filter: ActivityFilter,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${filteredActivity(accountId, filter)}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Finds the ID of a template's newest message, which has the content that was sent last. */
export async function findNewestMessageId(
  db: Reader,
  accountId: number,
  id: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number | null }>`
    select max(m.id) as id from messages m
    where m.account_id = ${accountId} and m.kind = 'transactional' and ${ofTemplate('m', id)}`.execute(
    db,
  );
  return rows[0]?.id ?? undefined;
}

export type LinkFigures = {
  position: number;
  url: string;
  label: string;
  clicks: number;
  human_clicks: number;
};

export async function readLinks(
  db: Reader,
  accountId: number,
  messageId: number,
): Promise<LinkFigures[]> {
  const { rows } = await sql<LinkFigures>`
    select l.position, l.url, coalesce(l.label, '') as label, count(e.at) as clicks,
      count(e.at) filter (where e.verdict = 'human') as human_clicks
    from links l left join events e on e.account_id = ${accountId} and e.message_id = l.message_id
      and e.kind = 'click' and e.link_position = l.position
    where l.account_id = ${accountId} and l.message_id = ${messageId}
    group by l.position, l.url, l.label order by l.position`.execute(db);
  return rows;
}

/** Handles `contents.in_use`: returns the content of templates that are not deleted. */
export async function listContents(
  tx: Tx,
  { accountId, contentIds }: { accountId: number; contentIds: readonly number[] },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select content_id as id from transactional_emails
    where account_id = ${accountId} and content_id = any(${[...contentIds]}::bigint[]) and deleted_at is null`.execute(
    tx,
  );
  return rows.map((row) => row.id);
}

/** Lists transactional emails for the global search. */
export const listSearchableEmails = (accountId: number) => sql`
  select id, title, subject as detail, null::text as parameter, modified_at from transactional_emails
  where account_id = ${accountId} and deleted_at is null`;
