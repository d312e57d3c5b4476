// Queries for sign-ups, confirmations, prize wheels, proofs of work, statistics and the sites of
// forms.
import { type Selectable, sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';

export type SubmissionRow = Selectable<DB['form_submissions']>;

/** The reason why no confirmation email could be sent. */
export type UnsentReason = 'sender_missing' | 'sender_not_verified';

export type NewSubmission = {
  accountId: number;
  formId: number;
  key: string;
  version: number;
  answers: unknown;
  page: string;
  ip: string | null;
  device: string;
  isTrapped: boolean;
  at: Date;
};

/**
 * Inserts the sign-ups of one account; skips sign-ups with an existing key and sign-ups of deleted
 * forms.
 */
export async function insertSubmissions(
  db: Db,
  accountId: number,
  rows: readonly NewSubmission[],
): Promise<void> {
  const data = JSON.stringify(
    rows.map((row) => ({
      form_id: row.formId,
      key: row.key,
      version: row.version,
      answers: row.answers,
      page: row.page,
      ip: row.ip,
      device: row.device,
      is_trapped: row.isTrapped,
      at: row.at.toISOString(),
      settled_at: row.isTrapped ? row.at.toISOString() : null,
    })),
  );
  await sql`
    insert into form_submissions
      (account_id, form_id, key, version, answers, page, ip, device, is_trapped, at, settled_at)
    select f.account_id, f.id, key, version, answers, page, ip, device, is_trapped, at, settled_at
    from forms f join jsonb_to_recordset(${data}::jsonb) as given
      (form_id bigint, key text, version integer, answers jsonb, page text, ip text,
       device text, is_trapped boolean, at timestamptz, settled_at timestamptz) on given.form_id = f.id
    where f.account_id = ${accountId}
    on conflict (account_id, form_id, key) do nothing`.execute(db);
}

export async function insertSubmission(tx: Tx, row: NewSubmission): Promise<boolean> {
  const { rows } = await sql`
    insert into form_submissions
      (account_id, form_id, key, version, answers, page, ip, device, is_trapped, at)
    values (${row.accountId}, ${row.formId}, ${row.key}, ${row.version}, ${JSON.stringify(row.answers)}::jsonb,
      ${row.page}, ${row.ip}, ${row.device}, ${row.isTrapped}, ${row.at})
    on conflict (account_id, form_id, key) do nothing returning key`.execute(tx);
  return rows.length > 0;
}

export const { find: findSubmission } = accountTable('form_submissions', 'form_id', 'key');

/**
 * Counts the subscribers who signed up since `since` and who confirmed their address, if the form
 * required a confirmation. Returns the count and a stable sample of at most `limit` of these
 * subscribers. An undefined `formId` selects the sign-ups of all forms.
 */
export async function listSignUpsSince(
  db: Reader,
  accountId: number,
  formId: number | undefined,
  since: Date,
  limit: number,
): Promise<{ total: number; sample: { id: number; at: Date }[] }> {
  const { rows } = await sql<{ id: number; at: Date; total: number }>`
    select *, count(*) over () as total from (
      select s.subscriber_id as id, min(coalesce(s.confirmed_at, s.at)) as at
      from form_submissions s
      where s.account_id = ${accountId} and s.at >= ${since} and s.subscriber_id is not null
        and not s.is_trapped and s.held_reason is null and (${formId ?? null}::bigint is null or s.form_id = ${formId ?? null})
        and (s.confirmed_at is not null or not exists (select from form_confirmations c
          where c.account_id = ${accountId} and c.form_id = s.form_id and c.submission_key = s.key))
      group by 1) signed
    order by hashint8(id), id limit ${limit}`.execute(db);
  const signUps = rows.map(({ id, at }) => ({ id, at }));
  return { total: rows[0]?.total ?? 0, sample: signUps };
}

/** Accounts with sign-ups to settle, except sign-ups that wait for a retry; oldest first. */
export async function listAccountsToSettle(db: Db, now: Date, limit: number): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (within) => sql<{ account_id: number }>`
    select account_id from form_submissions
    where ${within(sql`account_id`)} and settled_at is null and (retry_at is null or retry_at <= ${now})
    group by account_id order by min(at) limit ${limit}`,
  );
  return rows.map((row) => row.account_id);
}

/** Locks the oldest sign-ups to settle; rows locked by other transactions are skipped. */
export async function lockPendingSubmissions(
  tx: Tx,
  accountId: number,
  now: Date,
  limit: number,
): Promise<SubmissionRow[]> {
  return tx
    .selectFrom('form_submissions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('settled_at', 'is', null)
    .where((where) => where.or([where('retry_at', 'is', null), where('retry_at', '<=', now)]))
    .orderBy('at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
}

export async function saveSubmission(
  tx: Tx,
  row: Pick<SubmissionRow, 'account_id' | 'form_id' | 'key'>,
  change: {
    settled_at?: Date;
    subscriber_id?: number | null;
    confirmed_at?: Date;
    failures?: number;
    retry_at?: Date;
    prize?: string;
    held_reason?: UnsentReason | null;
  },
): Promise<void> {
  await tx
    .updateTable('form_submissions')
    .set(change)
    .where('account_id', '=', row.account_id)
    .where('form_id', '=', row.form_id)
    .where('key', '=', row.key)
    .execute();
}

export async function insertConfirmation(
  tx: Tx,
  row: {
    accountId: number;
    hash: Buffer;
    formId: number;
    key: string;
    subscriberId: number;
    at: Date;
    expiresAt: Date;
  },
): Promise<void> {
  await tx
    .insertInto('form_confirmations')
    .values({
      account_id: row.accountId,
      hash: row.hash,
      form_id: row.formId,
      submission_key: row.key,
      subscriber_id: row.subscriberId,
      mailed_at: row.at,
      expires_at: row.expiresAt,
    })
    .execute();
}

/**
 * Returns whether a confirmation email was sent to the subscriber since an instant and is still
 * unconfirmed, so that another one is not needed.
 */
export async function wasConfirmationSent(
  db: Reader,
  accountId: number,
  subscriberId: number,
  since: Date,
): Promise<boolean> {
  // Several processes may settle sign-ups of one subscriber concurrently. The lock makes them wait
  // for each other, so that each sees an email that another process has recorded.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`confirm ${accountId} ${subscriberId}`}, 0))`.execute(
    db,
  );
  const { rows } = await sql`
    select 1 from form_confirmations
    where account_id = ${accountId} and subscriber_id = ${subscriberId}
      and mailed_at > ${since} and confirmed_at is null limit 1`.execute(db);
  return rows.length > 0;
}

export const { find: findConfirmation } = accountTable('form_confirmations', 'hash');

/** Marks a confirmation as confirmed; undefined if it was confirmed before, or has expired. */
export async function claimConfirmation(
  tx: Tx,
  accountId: number,
  hash: Buffer,
  at: Date,
): Promise<Selectable<DB['form_confirmations']> | undefined> {
  return tx
    .updateTable('form_confirmations')
    .set({ confirmed_at: at })
    .where('account_id', '=', accountId)
    .where('hash', '=', hash)
    .where('confirmed_at', 'is', null)
    .where('expires_at', '>', at)
    .returningAll()
    .executeTakeFirst();
}

/** Records a draw; true if it is the first one of this address on this form. */
export async function recordSpin(
  tx: Tx,
  spin: { accountId: number; formId: number; hash: Buffer; key: string; at: Date },
): Promise<boolean> {
  const { rows } = await sql`
    insert into form_spins (account_id, form_id, address_hash, submission_key, at)
    values (${spin.accountId}, ${spin.formId}, ${spin.hash}, ${spin.key}, ${spin.at})
    on conflict do nothing returning submission_key`.execute(tx);
  return rows.length > 0;
}

/** Assigns a free code of the wheel's slice to a sign-up; undefined if none is left. */
export async function claimCode(
  tx: Tx,
  submission: { accountId: number; formId: number; slice: number; key: string; at: Date },
): Promise<string | undefined> {
  const { rows } = await sql<{ code: string }>`
    with free as materialized (
      select id from form_codes
      where account_id = ${submission.accountId} and form_id = ${submission.formId} and slice = ${submission.slice}
        and given_at is null
      order by id limit 1 for update skip locked)
    update form_codes set submission_key = ${submission.key}, given_at = ${submission.at}
    where account_id = ${submission.accountId} and form_id = ${submission.formId} and id = (select id from free)
    returning code`.execute(tx);
  return rows[0]?.code;
}

export async function countCodes(
  db: Reader,
  accountId: number,
  formId: number,
): Promise<{ slice: number; left: number; given: number }[]> {
  const { rows } = await sql<{ slice: number; left: number; given: number }>`
    select slice, count(*) filter (where given_at is null) as left,
      count(*) filter (where given_at is not null) as given
    from form_codes where account_id = ${accountId} and form_id = ${formId}
    group by slice order by slice`.execute(db);
  return rows;
}

/** Adds codes that the slice does not have; returns their number. */
export async function addCodes(
  tx: Tx,
  pool: { accountId: number; formId: number; slice: number; codes: readonly string[] },
): Promise<number> {
  const { rows } = await sql`
    insert into form_codes (account_id, form_id, slice, code)
    select ${pool.accountId}::bigint, ${pool.formId}::bigint, ${pool.slice}::integer, code
    from unnest(${pool.codes}::text[]) as given (code)
    where code not in (select had.code from form_codes had where had.account_id = ${pool.accountId}
      and had.form_id = ${pool.formId} and had.slice = ${pool.slice})
    group by code returning id`.execute(tx);
  return rows.length;
}

/** Marks a proof as used; true if it was unused. */
export async function spendProof(db: Reader, hash: Buffer, expiresAt: Date): Promise<boolean> {
  const { rows } = await sql`
    insert into form_proofs (hash, expires_at) values (${hash}, ${expiresAt})
    on conflict do nothing returning hash`.execute(db);
  return rows.length > 0;
}

export async function deleteProofs(db: Db, now: Date): Promise<void> {
  await sql`delete from form_proofs where expires_at < ${now}`.execute(db);
}

export type SubmissionCount = {
  account_id: number;
  form_id: number;
  quarter: Date;
  device: string;
  /** URL of the page without its query; empty if unknown. */
  page: string;
  views: number;
  starts: number;
  closes: number;
};

/** Adds counts; drops the counts of deleted forms. */
export async function addFigures(
  db: Reader,
  accountId: number,
  counts: readonly SubmissionCount[],
): Promise<void> {
  await sql`
    insert into form_stats as known (account_id, form_id, quarter, device, views, starts, closes)
    select f.account_id, f.id, quarter, device, sum(views), sum(starts), sum(closes)
    from forms f join jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) as given
      (form_id bigint, quarter timestamptz, device text, views bigint, starts bigint, closes bigint)
      on given.form_id = f.id
    where f.account_id = ${accountId}
    group by f.account_id, f.id, quarter, device
    on conflict (account_id, form_id, quarter, device) do update set
      views = known.views + excluded.views, starts = known.starts + excluded.starts,
      closes = known.closes + excluded.closes`.execute(db);
}

/** Maximum number of distinct pages per form and day, because strangers could report any number. */
const MAX_PAGES = 200;

export async function addPages(
  db: Reader,
  accountId: number,
  counts: readonly SubmissionCount[],
): Promise<void> {
  await sql`
    insert into form_pages as known (account_id, form_id, day, page, views, starts, closes)
    select f.account_id, f.id, day, page, views, starts, closes
    from forms f join (
      select form_id, (quarter at time zone 'UTC')::date as day, page,
        sum(views) as views, sum(starts) as starts, sum(closes) as closes
      from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) as input
        (form_id bigint, quarter timestamptz, page text, views bigint, starts bigint, closes bigint)
      where page <> '' group by 1, 2, 3) g on g.form_id = f.id
    where f.account_id = ${accountId} and (
      exists (select 1 from form_pages p where p.account_id = ${accountId} and p.form_id = f.id
        and p.day = g.day and p.page = g.page)
      or (select count(*) from form_pages p where p.account_id = ${accountId} and p.form_id = f.id
        and p.day = g.day) < ${MAX_PAGES})
    on conflict (account_id, form_id, day, page) do update set
      views = known.views + excluded.views, starts = known.starts + excluded.starts,
      closes = known.closes + excluded.closes`.execute(db);
}

export type FormTotals = {
  form_id: number;
  views: number;
  starts: number;
  closes: number;
  sign_ups: number;
  confirmed: number;
  trapped: number;
  /** Confirmation emails that could not be sent. */
  held: number;
};

export async function readTotals(
  db: Reader,
  accountId: number,
  formIds: readonly number[],
  since: Date,
): Promise<FormTotals[]> {
  const { rows } = await sql<FormTotals>`
    select id as form_id,
      coalesce((select sum(views) from form_stats f where f.account_id = ${accountId} and f.form_id = one.id and f.quarter >= ${since}), 0) as views,
      coalesce((select sum(starts) from form_stats f where f.account_id = ${accountId} and f.form_id = one.id and f.quarter >= ${since}), 0) as starts,
      coalesce((select sum(closes) from form_stats f where f.account_id = ${accountId} and f.form_id = one.id and f.quarter >= ${since}), 0) as closes,
      s.sign_ups, s.confirmed, s.trapped, s.held
    from unnest(${[...formIds]}::bigint[]) as one (id), lateral (
      select count(*) filter (where not is_trapped) as sign_ups,
        count(*) filter (where confirmed_at is not null) as confirmed,
        count(*) filter (where is_trapped) as trapped,
        count(*) filter (where held_reason is not null) as held
      from form_submissions where account_id = ${accountId} and form_id = one.id and at >= ${since}) s`.execute(
    db,
  );
  return rows;
}

type FormSums = { views: number; starts: number; closes: number; sign_ups: number };

/** Sums the counts per group of a query. */
const SUMS = sql.raw(
  'sum(views)::bigint as views, sum(starts)::bigint as starts, sum(closes)::bigint as closes, sum(sign_ups)::bigint as sign_ups',
);

export async function sumByDay(
  db: Reader,
  accountId: number,
  formId: number,
  since: Date,
  zone: string,
): Promise<(FormSums & { day: string; confirmed: number })[]> {
  const { rows } = await sql<FormSums & { day: string; confirmed: number }>`
    select day::text, ${SUMS}, sum(confirmed)::bigint as confirmed
    from (
      select (quarter at time zone ${zone})::date as day, views, starts, closes, 0 as sign_ups, 0 as confirmed
      from form_stats where account_id = ${accountId} and form_id = ${formId} and quarter >= ${since}
      union all
      select (at at time zone ${zone})::date, 0, 0, 0, 1, (confirmed_at is not null)::int
      from form_submissions
      where account_id = ${accountId} and form_id = ${formId} and at >= ${since} and not is_trapped
    ) counted group by day order by day`.execute(db);
  return rows;
}

export async function sumByDevice(db: Reader, accountId: number, formId: number, since: Date) {
  const { rows } = await sql<FormSums & { device: string }>`
    select device, ${SUMS} from (
      select device, views, starts, closes, 0 as sign_ups from form_stats
      where account_id = ${accountId} and form_id = ${formId} and quarter >= ${since}
      union all
      select device, 0, 0, 0, 1 from form_submissions
      where account_id = ${accountId} and form_id = ${formId} and at >= ${since} and not is_trapped
    ) counted group by device order by views desc, sign_ups desc, device`.execute(db);
  return rows;
}

export async function sumByPage(db: Reader, accountId: number, formId: number, since: Date) {
  const { rows } = await sql<FormSums & { page: string }>`
    select page, ${SUMS} from (
      select page, views, starts, closes, 0 as sign_ups from form_pages
      where account_id = ${accountId} and form_id = ${formId}
        and day >= (${since}::timestamptz at time zone 'UTC')::date
      union all
      select left(split_part(split_part(page, '#', 1), '?', 1), 500), 0, 0, 0, 1 from form_submissions
      where account_id = ${accountId} and form_id = ${formId} and at >= ${since} and not is_trapped
    ) counted where page <> ''
    group by page order by sign_ups desc, views desc, page limit 20`.execute(db);
  return rows;
}

/** Lists the draws of the form's wheel after an id, oldest first, without addresses. */
export async function listSpins(
  db: Reader,
  accountId: number,
  formId: number,
  after: number,
  limit: number,
) {
  const { rows } = await sql<{ id: number; at: Date; version: number; prize: unknown }>`
    select id, at, version, prize from form_submissions
    where account_id = ${accountId} and form_id = ${formId} and prize is not null and id > ${after}
    order by id limit ${limit}`.execute(db);
  return rows;
}

/** Maximum number of sites per account, because strangers can send any referrer. */
const MAX_SITES = 50;

export async function saveSite(db: Db, accountId: number, host: string, at: Date): Promise<void> {
  await sql`
    insert into form_sites as known (account_id, host, seen_at)
    select ${accountId}::bigint, ${host}::text, ${at}::timestamptz
    where (
      exists (select 1 from form_sites s where s.account_id = ${accountId} and s.host = ${host})
      or (select count(*) from form_sites s where s.account_id = ${accountId}) < ${MAX_SITES})
    on conflict (account_id, host) do update set seen_at = excluded.seen_at`.execute(db);
}

/** Lists the last three sites that loaded the script, newest first. */
export function listSites(db: Reader, accountId: number) {
  return db
    .selectFrom('form_sites')
    .select(['host', 'seen_at'])
    .where('account_id', '=', accountId)
    .orderBy('seen_at', 'desc')
    .orderBy('host')
    .limit(3)
    .execute();
}
