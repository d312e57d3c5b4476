// Reads the audit log in the form that administrators see.
import {
  assistantNames,
  readAccount,
  listTokenTitles,
  findUsersById,
} from '#areas/accounts/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import type { AuditEntry } from '../contract.ts';
import { RETENTION_DAYS } from '../shared.ts';
import * as store from './audit.sql.ts';

const PAGE_ROWS = 1000;

type Filter = Omit<store.AuditFilter, 'zone'>;

async function createFilter(
  db: Reader,
  accountId: number,
  filter: Filter,
): Promise<store.AuditFilter> {
  return { ...filter, zone: (await readAccount(db, accountId)).timezone };
}

export async function listAudit(
  tx: Tx,
  accountId: number,
  { before, limit, ...filter }: Filter & { before?: string | undefined; limit: number },
): Promise<{ data: AuditEntry[]; next: string | null }> {
  const startEntry =
    before === undefined ? undefined : await store.findAct(tx, accountId, Number(before));
  // The row may have been deleted after its retention; then no older row exists either.
  if (before !== undefined && !startEntry) return { data: [], next: null };
  const rows = await store.listActs(tx, accountId, await createFilter(tx, accountId, filter), {
    before: startEntry,
    limit: limit + 1,
  });
  const visibleRows = rows.slice(0, limit);
  const next = rows.length > limit ? visibleRows.at(-1) : undefined;
  return {
    data: await present(tx, accountId, visibleRows),
    next: next === undefined ? null : String(next.id),
  };
}

/** Pages of all entries, for the export. */
export async function* iterateAudit(
  db: Db,
  accountId: number,
  filter: Filter,
): AsyncGenerator<AuditEntry[]> {
  const accountFilter = await createFilter(db, accountId, filter);
  let before: { at: Date; id: number } | undefined;
  do {
    const rows = await store.listActs(db, accountId, accountFilter, { before, limit: PAGE_ROWS });
    yield await inTransaction(db, (tx) => present(tx, accountId, rows));
    before = rows.length === PAGE_ROWS ? rows.at(-1) : undefined;
  } while (before);
}

const listUnique = (ids: readonly (number | null)[]) => [
  ...new Set(ids.filter((id): id is number => id !== null)),
];

async function present(
  tx: Tx,
  accountId: number,
  rows: readonly store.AuditRow[],
): Promise<AuditEntry[]> {
  const userIds = listUnique(rows.map((row) => row.user_id));
  const tokenIds = listUnique(rows.map((row) => (row.actor === 'token' ? row.actor_id : null)));
  const assistantIds = listUnique(rows.map((row) => (row.actor === 'agent' ? row.actor_id : null)));
  const users = userIds.length === 0 ? [] : await findUsersById(tx, userIds);
  const tokens = tokenIds.length === 0 ? [] : await listTokenTitles(tx, accountId, tokenIds);
  const assistants =
    assistantIds.length === 0
      ? []
      : await assistantNames.collect(tx, { accountId, ids: assistantIds });
  const nameOf = new Map(assistants.map(({ id, name }) => [id, name]));
  const userOf = new Map(users.map((user) => [user.id, user]));
  const titleOf = new Map(tokens.map(({ id, title }) => [id, title]));
  return rows.map((row) => {
    const user = row.user_id === null ? undefined : userOf.get(row.user_id);
    return {
      id: encodeId('act', row.id),
      at: row.at.toISOString(),
      action: row.action,
      subject: row.subject,
      actor: row.actor as AuditEntry['actor'],
      user: row.user_id === null ? null : presentUser(row.user_id, user),
      token:
        row.actor === 'token' && row.actor_id !== null
          ? { id: encodeId('token', row.actor_id), title: titleOf.get(row.actor_id) ?? '' }
          : null,
      assistant: row.actor === 'agent' ? (nameOf.get(row.actor_id ?? 0) ?? null) : null,
      ip: row.ip,
      fields: row.fields,
      before: row.before,
      after: row.after,
      count: row.count,
    };
  });
}

function presentUser(
  id: number,
  user: { email: string; name: string | null; surname: string | null } | undefined,
) {
  const name = [user?.name, user?.surname].filter(Boolean).join(' ');
  return { id: encodeId('user', id), name: name || null, email: user?.email ?? null };
}

export async function readSettings(db: Reader, accountId: number) {
  return { retention_days: (await store.readRetention(db, accountId)) ?? RETENTION_DAYS };
}

export async function saveSettings(tx: Tx, accountId: number, days: number) {
  await store.saveRetention(tx, accountId, days, clock.now());
  return readSettings(tx, accountId);
}
