// Queries for cells, which are recipients counted by mailbox provider and band: the cells of an
// audience for its forecast, and the cells of past campaigns.
import { type RawBuilder, sql } from 'kysely';
import {
  acceptedCopies,
  type Audience,
  copiesNotAccepted,
  selectRecipientsAsOf,
} from '#areas/delivery/server/ledger/index.ts';
import { FIRST_HOST, MAILBOXES } from '#areas/subscribers/shared.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { ForecastMetric } from '../../forecast-shared.ts';
import { MAILBOX } from '../health/health.sql.ts';
import type { WaitCounts } from './retries.ts';
import { BAND_DAYS, BAND_NEVER, BAND_NEW, BAND_OLDER, BANDS, NEW_DAYS } from './rates.ts';

const DAY_MS = 86_400_000;
const subtractDays = (at: Date, days: number) => new Date(at.getTime() - days * DAY_MS);

/**
 * Returns an SQL expression for a subscriber's band at `at`, by the time of the last open or click.
 * Without an open or click, the time of creation decides.
 */
function createBandExpression(
  lastActivity: RawBuilder<unknown>,
  createdAt: RawBuilder<unknown>,
  at: Date,
) {
  const [first, second, third, fourth] = BAND_DAYS.map((days) => subtractDays(at, days));
  return sql`(case when ${lastActivity} >= ${first}::timestamptz then 0
    when ${lastActivity} >= ${second}::timestamptz then 1 when ${lastActivity} >= ${third}::timestamptz then 2
    when ${lastActivity} >= ${fourth}::timestamptz then 3
    when ${lastActivity} is not null then ${BAND_OLDER}::int
    when ${createdAt} >= ${subtractDays(at, NEW_DAYS)}::timestamptz then ${BAND_NEW}::int
    else ${BAND_NEVER}::int end)`;
}

export type AudienceRow = {
  mailbox: number;
  band: number;
  /** The number of instants in `inactiveSince` since which these subscribers have been inactive. */
  inactive: number;
  recipients: number;
};

/**
 * Counts the recipients of an audience by cell and inactivity. A subscriber has been inactive since
 * an instant if the subscriber was created before it and has not opened or clicked since (a click
 * also sets `last_open_at`). `inactiveSince` contains ascending instants, so a subscriber inactive
 * since one of them has been inactive since all later ones. For 1,000,000 subscribers this takes
 * about a second.
 */
export async function countAudienceCells(
  db: Reader,
  accountId: number,
  audience: Audience,
  asOf: Date,
  inactiveSince: readonly Date[],
): Promise<AudienceRow[]> {
  const audienceRecipients = await selectRecipientsAsOf(db, accountId, 'email', audience, asOf);
  const wasInactive = inactiveSince.map(
    (since) => sql`(s.created_at < ${since}::timestamptz
      and coalesce(a.opened_at < ${since}::timestamptz, true))::int`,
  );
  const inactiveValues = inactiveSince.length + 1;
  // The planner expects few recipients. Without the materialized parts and the combined column
  // `cell` it would read the activity of each recipient separately, and sort all of them by three
  // columns.
  const { rows } = await sql<AudienceRow>`
    with active as materialized (
      select subscriber_id, last_open_at as opened_at,
        greatest(last_open_at, last_click_at) as last_at
      from activity where account_id = ${accountId}
    ), cells as materialized (
      select (s.mailbox::int * ${BANDS}::int + ${createBandExpression(sql`a.last_at`, sql`s.created_at`, asOf)})
        * ${inactiveValues}::int + ${sql.join(wasInactive, sql` + `)} as cell,
        count(*)::int as recipients
      from (${audienceRecipients}) s
      left join active a on a.subscriber_id = s.id
      group by 1
    )
    select cell / ${BANDS * inactiveValues}::int as mailbox,
      cell / ${inactiveValues}::int % ${BANDS}::int as band,
      cell % ${inactiveValues}::int as inactive, recipients
    from cells order by cell`.execute(db);
  return rows;
}

type CampaignToSeal = {
  accountId: number;
  lead: number;
  messageIds: readonly number[];
  startedAt: Date;
  /** Whether the ledger of at least one message is compacted. */
  hasCompacted: boolean;
  /** Subscribers with attributed orders, listed once per order. */
  buyerIds: readonly number[];
};

/**
 * Stores the cells of a campaign: its accepted and failed copies, and their opens, clicks,
 * unsubscribes, complaints, bounces and orders. Bands are as of the start of the campaign. Because
 * outcomes contain only the first open of each email, the newest of these determines the band.
 * Mailbox providers are taken from the copies. For 1,000,000 recipients and 4,000,000 outcomes this
 * takes 2.7 s.
 */
export async function insertCells(tx: Tx, campaign: CampaignToSeal): Promise<void> {
  const { accountId, lead, messageIds, startedAt, hasCompacted, buyerIds } = campaign;
  const anyMessageId = sql`any(${[...messageIds]}::bigint[])`;
  await sql`
    with sent as materialized (
      select c.subscriber_id, ${MAILBOX} as mailbox, false as is_refused
      from (${acceptedCopies(accountId, messageIds, hasCompacted)}) c
      union all
      select f.subscriber_id, ${MAILBOX}, true
      from (${copiesNotAccepted(accountId, messageIds, ['failed'])}) f
    ), history as materialized (
      select o.subscriber_id, max(o.first_open_at) as last_at
      from outcomes o
      where o.account_id = ${accountId} and o.first_open_at < ${startedAt}
        and not exists (select 1 from messages m where m.account_id = ${accountId}
          and m.id = o.message_id and m.channel = 'sms')
      group by o.subscriber_id
    ), bought as materialized (
      select b.id, count(*)::int as orders from unnest(${[...buyerIds]}::bigint[]) b(id) group by b.id
    ), outcome as materialized (
      select o.subscriber_id, o.first_human_open_at, o.first_human_click_at, o.unsubscribed_at,
        o.complained_at, o.returned_at
      from outcomes o where o.account_id = ${accountId} and o.message_id = ${anyMessageId}
    )
    insert into send_cells (account_id, message_id, mailbox, band, people, opens, clicks,
      unsubscribes, complaints, bounces, orders)
    select ${accountId}::bigint, ${lead}::bigint, x.mailbox,
      ${createBandExpression(sql`h.last_at`, sql`s.created_at`, startedAt)}, count(*),
      count(o.first_human_open_at), count(o.first_human_click_at), count(o.unsubscribed_at),
      count(o.complained_at), count(*) filter (where x.is_refused or o.returned_at is not null),
      coalesce(sum(b.orders), 0)
    from sent x
    left join subscribers s on s.account_id = ${accountId} and s.id = x.subscriber_id
      and s.deleted_at is null
    left join history h on h.subscriber_id = x.subscriber_id
    left join outcome o on o.subscriber_id = x.subscriber_id
    left join bought b on b.id = x.subscriber_id
    group by 3, 4`.execute(tx);
}

type CellRow = {
  message_id: number;
  mailbox: number;
  band: number;
  recipients: number;
  waits: WaitCounts | null;
} & Record<ForecastMetric, number>;

/** Reads the cells of the newest `limit` sealed campaigns that started before an instant. */
export async function readCells(
  db: Reader,
  accountId: number,
  before: Date,
  limit: number,
): Promise<CellRow[]> {
  const { rows } = await sql<CellRow>`
    with past as materialized (
      select message_id, started_at, waits from sealed_campaigns
      where account_id = ${accountId} and started_at < ${before}
      order by started_at desc, message_id desc limit ${limit}
    )
    select c.message_id, c.mailbox, c.band, c.people as recipients, c.opens, c.clicks, c.unsubscribes,
      c.complaints, c.bounces, c.orders, p.waits
    from past p
    join send_cells c on c.account_id = ${accountId} and c.message_id = p.message_id
    order by p.started_at desc, c.message_id desc, c.mailbox, c.band`.execute(db);
  return rows;
}

const createMailboxFilter = ({
  selected,
  listedHosts,
}: {
  selected: readonly number[];
  listedHosts: readonly number[];
}) => sql`
  and case when mailbox >= ${FIRST_HOST} and mailbox <> all(${[...listedHosts]}::smallint[])
    then ${MAILBOXES.other} else mailbox end = any(${[...selected]}::smallint[])`;

type TotalsRow = { recipients: number } & Record<ForecastMetric, number>;

/**
 * Reads the sums of a sealed campaign; undefined if no cell matches.
 * @param mailboxes limits the sums to recipients at the providers in `selected`; hosts that are not
 * in `listedHosts` are counted as `other`
 */
export async function readTotals(
  db: Reader,
  accountId: number,
  messageId: number,
  mailboxes?: { selected: readonly number[]; listedHosts: readonly number[] },
): Promise<TotalsRow | undefined> {
  const { rows } = await sql<TotalsRow>`
    select sum(people)::int as recipients, sum(opens)::int as opens, sum(clicks)::int as clicks,
      sum(unsubscribes)::int as unsubscribes, sum(complaints)::int as complaints,
      sum(bounces)::int as bounces, sum(orders)::int as orders
    from send_cells where account_id = ${accountId} and message_id = ${messageId}
      ${mailboxes ? createMailboxFilter(mailboxes) : sql``}
    having count(*) > 0`.execute(db);
  return rows[0];
}
