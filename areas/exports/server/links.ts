// Links to finished exports: the URL contains a secret, and the table stores its hash.
import { readAccount } from '#areas/accounts/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { files } from '#platform/server/files/files.ts';
import { hashSecret, generateSecret } from '#platform/server/secrets.ts';
import type { Download } from '../contract.ts';
import { type ExportFormat, LINK_MINUTES } from '../shared.ts';
import * as store from './exports.sql.ts';

export async function createDownloadLink(
  tx: Tx,
  row: store.ExportRow,
  secret: string,
  times: { at: Date; expiresAt: Date },
): Promise<void> {
  const hash = hashSecret(secret);
  await store.insertLink(tx, { accountId: row.account_id, exportId: row.id, hash, ...times });
}

/** Creates a link that is valid for an hour, but not longer than the file exists. */
export async function makeLink(tx: Tx, accountId: number, id: number) {
  const row = await store.findExport(tx, accountId, id);
  if (row === undefined) throw notFound();
  if (row.state === 'expired') throw new AppError('export_expired');
  if (row.state !== 'finished' || row.expires_at === null) throw new AppError('export_not_ready');
  const at = clock.now();
  if (row.expires_at <= at) throw new AppError('export_expired');
  const latest = at.getTime() + LINK_MINUTES * 60_000;
  const expiresAt = new Date(Math.min(latest, row.expires_at.getTime()));
  const secret = generateSecret();
  await createDownloadLink(tx, row, secret, { at, expiresAt });
  return { hash: secret, path: `/download/${secret}`, expires: expiresAt.toISOString() };
}

/** @throws `link_expired` for every invalid link: expired, unknown, or of another account */
async function followLink(
  db: Reader,
  accountId: number,
  secret: string,
): Promise<store.LinkedExport> {
  const row = await store.findLinked(db, accountId, hashSecret(secret), clock.now());
  if (row === undefined) throw new AppError('link_expired');
  return row;
}

export async function readDownload(
  db: Reader,
  accountId: number,
  secret: string,
): Promise<Download> {
  const row = await followLink(db, accountId, secret);
  return {
    id: encodeId('export', row.id),
    file_name: nameOf(row),
    format: row.format as ExportFormat,
    size: row.size ?? 0,
    row_count: row.row_count,
    expires: row.link_expires_at.toISOString(),
  };
}

const types: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

export async function findDownload(db: Db, accountId: number, secret: string) {
  await readAccount(db, accountId);
  const row = await followLink(db, accountId, secret);
  const content = await files.get(row.file_key ?? '');
  if (content === undefined) throw new AppError('link_expired');
  return {
    content,
    name: nameOf(row),
    size: row.size ?? 0,
    type: types[row.format as ExportFormat],
  };
}

function nameOf(row: store.ExportRow): string {
  const { day } = row.settings;
  return `subscribers-${day}.${row.format}`;
}
