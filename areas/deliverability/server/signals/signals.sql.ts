// Queries for connections to services and what these services report about sending domains,
// campaigns and IP addresses.
import { sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { ComplianceVerdict } from './compliance.ts';
import type { CampaignRate, PostmasterSignal } from './postmaster.ts';

export const {
  find: findConnection,
  update: updateConnection,
  deleteReturning: deleteConnection,
} = accountTable('postmaster_connections');

export async function saveConnection(
  tx: Tx,
  accountId: number,
  { credentials, title, at }: { credentials: Buffer; title: string; at: Date },
): Promise<void> {
  const row = { credentials, title, fault: null, checked_at: null, due_at: at, created_at: at };
  await tx
    .insertInto('postmaster_connections')
    .values({ account_id: accountId, ...row })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(row))
    .execute();
}

/**
 * Locks the connection until the transaction ends; returns false if it was removed or replaced.
 * Each saved connection has different credentials, because they are sealed with a random nonce.
 */
export async function lockConnection(
  tx: Tx,
  accountId: number,
  credentials: Buffer,
): Promise<boolean> {
  const row = await tx
    .selectFrom('postmaster_connections')
    .select('account_id')
    .where('account_id', '=', accountId)
    .where('credentials', '=', credentials)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

export async function saveSignals(
  tx: Tx,
  accountId: number,
  domainId: number,
  signals: readonly PostmasterSignal[],
  at: Date,
): Promise<void> {
  if (signals.length === 0) return;
  await sql`
    insert into domain_signals (account_id, domain_id, kind, day, value, fetched_at)
    select ${accountId}, ${domainId}, s.kind, s.day, s.value, ${at}
    from unnest(${signals.map(({ kind }) => kind)}::text[], ${signals.map(({ day }) => day)}::date[],
      ${signals.map(({ value }) => value)}::double precision[]) s(kind, day, value)
    on conflict (account_id, domain_id, kind, day) do update
      set value = excluded.value, fetched_at = excluded.fetched_at`.execute(tx);
}

/** Replaces the domain's verdicts. `since` only changes when a verdict changes. */
export async function saveCompliance(
  tx: Tx,
  accountId: number,
  domainId: number,
  verdicts: readonly ComplianceVerdict[],
  at: Date,
): Promise<void> {
  const names = verdicts.map(({ requirement }) => requirement);
  await sql`
    delete from domain_compliance where account_id = ${accountId} and domain_id = ${domainId}
      and requirement <> all(${names}::text[])`.execute(tx);
  if (verdicts.length === 0) return;
  await sql`
    insert into domain_compliance
      (account_id, domain_id, requirement, is_met, reason, since, fetched_at)
    select ${accountId}, ${domainId}, v.requirement, v.is_met, v.reason, ${at}, ${at}
    from unnest(${names}::text[], ${verdicts.map(({ isMet }) => isMet)}::boolean[],
      ${verdicts.map(({ reason }) => reason)}::text[]) v(requirement, is_met, reason)
    on conflict (account_id, domain_id, requirement) do update
      set is_met = excluded.is_met, reason = excluded.reason, fetched_at = excluded.fetched_at,
        since = case when domain_compliance.is_met = excluded.is_met then domain_compliance.since
          else excluded.since end`.execute(tx);
}

export type DomainComplianceRow = {
  domainId: number;
  requirement: string;
  isMet: boolean;
  reason: string | null;
  since: Date;
  fetchedAt: Date;
  /** Whether the last retrieval succeeded and contained the verdict. */
  isCurrent: boolean;
};

/** Reads the verdicts retrieved since an instant. */
export async function readCompliance(
  db: Reader,
  accountId: number,
  since: Date,
  domainId?: number,
): Promise<DomainComplianceRow[]> {
  let query = db
    .selectFrom('domain_compliance as d')
    .leftJoin('postmaster_connections as c', (join) => join.on('c.account_id', '=', accountId))
    .select([
      'd.domain_id as domainId',
      'd.requirement',
      'd.is_met as isMet',
      'd.reason',
      'd.since',
    ])
    .select('d.fetched_at as fetchedAt')
    .select(
      sql<boolean>`coalesce(c.fault is null and d.fetched_at >= c.checked_at, false)`.as(
        'isCurrent',
      ),
    )
    .where('d.account_id', '=', accountId)
    .where('d.fetched_at', '>=', since);
  if (domainId !== undefined) query = query.where('d.domain_id', '=', domainId);
  return query.orderBy('d.domain_id').orderBy('d.requirement').execute();
}

export async function deleteSignals(tx: Tx, accountId: number): Promise<void> {
  await tx.deleteFrom('domain_signals').where('account_id', '=', accountId).execute();
  await tx.deleteFrom('domain_compliance').where('account_id', '=', accountId).execute();
  await tx.deleteFrom('campaign_signals').where('account_id', '=', accountId).execute();
}

export async function deleteOldSignals(tx: Tx, accountId: number, day: string): Promise<void> {
  for (const table of ['domain_signals', 'campaign_signals'] as const) {
    await tx.deleteFrom(table).where('account_id', '=', accountId).where('day', '<', day).execute();
  }
}

export type SignalRow = { domainId: number; kind: string; day: string; value: number };

/** Reads the signals since `day`, newest first. */
export async function readSignals(
  db: Reader,
  accountId: number,
  day: string,
  domainId?: number,
): Promise<SignalRow[]> {
  let query = db
    .selectFrom('domain_signals')
    .select(['domain_id as domainId', 'kind', 'day', 'value'])
    .where('account_id', '=', accountId)
    .where('day', '>=', day);
  if (domainId !== undefined) query = query.where('domain_id', '=', domainId);
  return query.orderBy('day', 'desc').orderBy('kind').execute();
}

/** Saves the rates of the account's campaigns. Rates of other messages are ignored. */
export async function saveCampaignRates(
  tx: Tx,
  accountId: number,
  rates: readonly CampaignRate[],
): Promise<void> {
  if (rates.length === 0) return;
  await sql`
    insert into campaign_signals (account_id, message_id, day, spam_rate)
    select ${accountId}, m.id, r.day, r.rate
    from unnest(${rates.map(({ messageId }) => messageId)}::bigint[],
      ${rates.map(({ day }) => day)}::date[],
      ${rates.map(({ rate }) => rate)}::double precision[]) r(message_id, day, rate)
    join messages m on m.account_id = ${accountId} and m.id = r.message_id and m.kind = 'campaign'
    on conflict (account_id, message_id, day) do update set spam_rate = excluded.spam_rate`.execute(
    tx,
  );
}

/** Returns the highest daily rate among the messages of one campaign. */
export function readHighestSpamRate(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<{ spam_rate: number; day: string } | undefined> {
  return db
    .selectFrom('campaign_signals')
    .select(['spam_rate', 'day'])
    .where('account_id', '=', accountId)
    .where('message_id', '=', sql<number>`any(${[...messageIds]}::bigint[])`)
    .orderBy('spam_rate', 'desc')
    .orderBy('day')
    .limit(1)
    .executeTakeFirst();
}

export type SndsDay = {
  ip: string;
  day: string;
  messages: number;
  result: 'green' | 'yellow' | 'red';
  /** The upper end of the reported range. */
  complaints: number | null;
  traps: number;
};

export async function saveSnds(db: Reader, days: readonly SndsDay[], at: Date): Promise<void> {
  if (days.length === 0) return;
  await sql`
    insert into snds_days (ip, day, messages, result, complaints, traps, fetched_at)
    select s.ip, s.day, s.messages, s.result, s.complaints, s.traps, ${at}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(days)}::jsonb)
      s(ip text, day date, messages integer, result text, complaints double precision, traps integer)
    on conflict (ip, day) do update set messages = excluded.messages, result = excluded.result,
      complaints = excluded.complaints, traps = excluded.traps,
      fetched_at = excluded.fetched_at`.execute(db);
}

/** Lists the data of each address's newest day, if this is not before `since`. */
export async function listLatestSnds(
  db: Reader,
  ips: readonly string[],
  since: string,
): Promise<SndsDay[]> {
  const { rows } = await sql<SndsDay>`
    select distinct on (ip) ip, day, messages, result, complaints, traps from snds_days
    where ip = any(${[...ips]}::text[]) and day >= ${since}::date
    order by ip, day desc`.execute(db);
  return rows;
}

export async function deleteOldSnds(db: Reader, day: string): Promise<void> {
  await db.deleteFrom('snds_days').where('day', '<', day).execute();
}
