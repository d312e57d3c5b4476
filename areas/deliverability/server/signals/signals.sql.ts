// SQL of what connected services report about sending domains and addresses.
import { sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { Signal } from './postmaster.ts';

export const {
  find: findConnection,
  update: updateConnection,
  delete: deleteConnection,
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

export async function saveSignals(
  tx: Tx,
  accountId: number,
  domainId: number,
  signals: readonly Signal[],
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

export async function deleteSignals(tx: Tx, accountId: number): Promise<void> {
  await tx.deleteFrom('domain_signals').where('account_id', '=', accountId).execute();
}

export async function deleteOldSignals(tx: Tx, accountId: number, day: string): Promise<void> {
  await tx
    .deleteFrom('domain_signals')
    .where('account_id', '=', accountId)
    .where('day', '<', day)
    .execute();
}

export type SignalRow = { domainId: number; kind: string; day: string; value: number };

/** Since `day`, the newest first. */
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

export type SndsDay = {
  ip: string;
  day: string;
  messages: number;
  result: 'green' | 'yellow' | 'red';
  /** Upper end of the reported range. */
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

/** The newest day of each of these addresses. */
export async function latestSnds(
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
