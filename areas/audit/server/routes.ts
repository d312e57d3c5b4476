// The endpoints of the audit log.
import type { Db } from '#platform/server/database/database.ts';
import { csvStream } from '#platform/server/files/csv.ts';
import { requireRight } from '#platform/server/http/rights.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { type AuditEntry, calls } from '../contract.ts';
import { iterateAudit, listAudit, readSettings, saveSettings } from './audit.ts';

const COLUMNS = [
  ...['at', 'action', 'subject', 'actor', 'user', 'token', 'ip'],
  ...['fields', 'before', 'after', 'count'],
];

export const auditRoutes: Route[] = createRoutes('audit', calls, {
  listAudit: async ({ tx, caller, query }) => listAudit(tx, caller.accountId, query),
  exportAudit: async ({ db, caller, query, reply }) => {
    requireRight(caller, 'admin');
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="audit-log.csv"')
      .send(csvStream(COLUMNS, iterateRows(db, caller.accountId, query)));
  },
  readAuditSettings: ({ tx, caller }) => readSettings(tx, caller.accountId),
  saveAuditSettings: ({ tx, caller, body }) =>
    saveSettings(tx, caller.accountId, body.retention_days),
});

async function* iterateRows(
  db: Db,
  accountId: number,
  filter: Parameters<typeof iterateAudit>[2],
): AsyncGenerator<string[][]> {
  for await (const page of iterateAudit(db, accountId, filter)) yield page.map(formatCells);
}

const formatJsonCell = (value: unknown) => (value == null ? '' : JSON.stringify(value));

const formatCells = (entry: AuditEntry): string[] => [
  entry.at,
  entry.action,
  entry.subject ?? '',
  entry.actor,
  entry.user?.email ?? '',
  entry.token?.title ?? entry.assistant ?? '',
  entry.ip ?? '',
  entry.fields.join(' '),
  formatJsonCell(entry.before),
  formatJsonCell(entry.after),
  entry.count === null ? '' : String(entry.count),
];
