// Columns of an export, and their values.
import { type FieldFacts, readFields } from '#areas/fields/server/index.ts';
import { findGroupsOfSubscribers } from '#areas/groups/server/index.ts';
import {
  readConsentDates,
  type SubscriberRow,
  readSubscribers,
} from '#areas/subscribers/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { invalid } from '#platform/server/errors.ts';
import type { ServerText } from '#platform/server/texts.ts';
import { type OwnColumn, OWN_COLUMNS, USUAL_COLUMNS } from '../shared.ts';

/** A column as stored with the export: its heading is fixed at the start. */
export type ExportColumn = { title: string } & (
  | { own: OwnColumn }
  | { field: number; type: FieldFacts['type'] }
);

/** Text, a number, or a wall time `YYYY-MM-DD HH:MM:SS` in the account's zone. */
export type ExportCell = string | number | { at: string };

/** Returns the requested columns in order, without duplicates. @throws 422 for an unknown column */
export async function resolveColumns(
  db: Reader,
  accountId: number,
  columnNames: readonly string[] | undefined,
  t: ServerText,
): Promise<ExportColumn[]> {
  const fields = await readFields(db, accountId);
  const defaultColumn = (name: OwnColumn): ExportColumn => ({
    own: name,
    title: t(`columns.${name}`),
  });
  const ofField = (field: FieldFacts): ExportColumn => ({
    field: field.id,
    type: field.type,
    title: field.title,
  });
  if (columnNames === undefined)
    return [...USUAL_COLUMNS.map(defaultColumn), ...fields.map(ofField)];
  return [...new Set(columnNames)].map((name, i) => {
    const ownColumn = OWN_COLUMNS.find((ownColumn) => ownColumn === name);
    if (ownColumn !== undefined) return defaultColumn(ownColumn);
    const id = decodeId('field', name);
    const field = fields.find((field) => field.id === id);
    if (field === undefined) throw invalid({ [`columns.${i}`]: ['exports:errors.unknown_column'] });
    return ofField(field);
  });
}

/** Cells of these subscribers, in the order of `ids`; deleted ones are omitted. */
export async function readRows(
  db: Reader,
  accountId: number,
  ids: readonly number[],
  settings: { columns: readonly ExportColumn[]; timezone: string },
): Promise<ExportCell[][]> {
  const hasColumn = (name: OwnColumn) =>
    settings.columns.some((column) => 'own' in column && column.own === name);
  const subscribersById = new Map(
    (await readSubscribers(db, accountId, ids)).map((subscriber) => [subscriber.id, subscriber]),
  );
  const groups = new Map<number, string>();
  if (hasColumn('groups')) {
    for (const { subscriber_id: id, title } of await findGroupsOfSubscribers(db, accountId, ids)) {
      const before = groups.get(id);
      groups.set(id, before === undefined ? title : `${before}, ${title}`);
    }
  }
  const consents = hasColumn('consent_at') ? await readConsentDates(db, accountId, ids) : undefined;
  const wallTime = wallTimes(settings.timezone);
  return ids.flatMap((id) => {
    const subscriber = subscribersById.get(id);
    if (subscriber === undefined) return [];
    const values = subscriber.field_values as Record<string, string | number>;
    const cells = settings.columns.map((column): ExportCell => {
      if ('field' in column) return fieldCell(values[column.field], column.type);
      if (column.own === 'groups') return groups.get(id) ?? '';
      if (column.own === 'consent_at') return wallTime(consents?.get(id));
      return ownCell(subscriber, column.own, wallTime);
    });
    return [cells];
  });
}

function fieldCell(value: string | number | undefined, type: FieldFacts['type']): ExportCell {
  if (value === undefined) return '';
  return type === 'datetime' ? { at: String(value) } : value;
}

/** Statuses are written as in the API in every language, so that other programs can read them. */
function ownCell(
  subscriber: SubscriberRow,
  column: Exclude<OwnColumn, 'groups' | 'consent_at'>,
  wallTime: (at: Date | null | undefined) => ExportCell,
): ExportCell {
  switch (column) {
    case 'email_status':
    case 'temail_status':
      return subscriber.email_key === null ? '' : subscriber[column];
    case 'sms_status':
    case 'tsms_status':
      return subscriber.phone_key === null ? '' : subscriber[column];
    case 'created':
      return wallTime(subscriber.created_at);
    case 'modified':
      return wallTime(subscriber.modified_at);
    case 'unsubscribed_at':
    case 'bounced_at':
      return wallTime(subscriber[column]);
    default:
      return subscriber[column] ?? '';
  }
}

/** 'sv-SE' gives the sortable format: 2026-01-31 14:05:00. */
function wallTimes(timezone: string): (at: Date | null | undefined) => ExportCell {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return (at) => (at ? { at: format.format(at) } : '');
}
