// Lines of COPY's text format for a batch: new subscribers, their consent and unusual statuses,
// staged rows of records that may exist already, and status changes of existing subscribers.
import { getMailbox } from '../shared.ts';
import type { ImportedChange } from './import-people.sql.ts';
import {
  type ImportedRecord,
  type ImportBatch,
  type StagedRecord,
  getRequestedStatus,
} from './imported-people.ts';

export function* renderStagedLines(
  batch: ImportBatch,
  records: readonly StagedRecord[],
): Generator<Buffer> {
  yield* inPieces(records.length, (i) => {
    const { record, statuses } = records[i] as StagedRecord;
    return line([
      batch.accountId,
      batch.importId,
      record.row,
      record.email,
      record.emailKey,
      record.phone,
      record.firstname,
      record.lastname,
      record.fieldValues,
      statuses.email_status,
      statuses.temail_status,
      statuses.sms_status,
      statuses.tsms_status,
      record.emailStatus,
      record.smsStatus,
      mailboxIn(record),
      record.consentAt?.toISOString() ?? null,
      record.unsubscribedAt?.toISOString() ?? null,
    ]);
  });
}

export function* renderNewLines(
  batch: ImportBatch,
  records: readonly StagedRecord[],
  ids: readonly number[],
): Generator<Buffer> {
  const at = batch.at.toISOString();
  yield* inPieces(records.length, (i) => {
    const { record, statuses } = records[i] as StagedRecord;
    const hasLeft = statuses.email_status === 'unsubscribed';
    return line([
      batch.accountId,
      ids[i] as number,
      record.email,
      record.emailKey,
      record.phone,
      record.phone,
      record.firstname,
      record.lastname,
      record.fieldValues,
      statuses.email_status,
      statuses.temail_status,
      statuses.sms_status,
      statuses.tsms_status,
      mailboxIn(record),
      batch.importId,
      hasLeft ? (record.unsubscribedAt ?? batch.at).toISOString() : null,
      statuses.email_status === 'bounced' ? at : null,
      at,
      at,
      'import',
    ]);
  });
}

export function* renderConsentLines(
  batch: ImportBatch,
  records: readonly StagedRecord[],
  ids: readonly number[],
): Generator<Buffer> {
  const at = batch.at.toISOString();
  for (const channel of batch.consent.channels) {
    const status = channel === 'email' ? 'email_status' : 'sms_status';
    yield* inPieces(records.length, (i) => {
      const { record, statuses } = records[i] as StagedRecord;
      if (statuses[status] !== 'active') return '';
      const consentedAt = record.consentAt?.toISOString() ?? at;
      return line([
        batch.accountId,
        ids[i] as number,
        consentedAt,
        channel,
        batch.importId,
        batch.consent.userId,
        'attested',
        'import',
      ]);
    });
  }
}

/**
 * Renders the status history of new subscribers: an email status other than `active`, and an SMS
 * status other than `active` and `non-subscribed`. If the import requests `non-subscribed` but the
 * status differs (the address is suppressed), the entry is a change from `non-subscribed`.
 */
export function* renderStatusLines(
  batch: ImportBatch,
  records: readonly StagedRecord[],
  ids: readonly number[],
): Generator<Buffer> {
  const at = batch.at.toISOString();
  yield* inPieces(records.length, (i) => {
    const { record, statuses } = records[i] as StagedRecord;
    const { emailKey, phone } = record;
    const id = ids[i] as number;
    const statusLine = (channel: 'email' | 'sms', status: string) => {
      const isStranger = getRequestedStatus(record, batch, channel) === 'non-subscribed';
      const from = isStranger && status !== 'non-subscribed' ? 'non-subscribed' : null;
      return line([batch.accountId, id, at, channel, from, status, 'import']);
    };
    const email = emailKey !== null && statuses.email_status !== 'active';
    const sms =
      phone !== null &&
      statuses.sms_status !== 'active' &&
      statuses.sms_status !== 'non-subscribed';
    return `${email ? statusLine('email', statuses.email_status) : ''}${sms ? statusLine('sms', statuses.sms_status) : ''}`;
  });
}

/** Renders the status history of existing subscribers. */
export function* changeLines(
  batch: ImportBatch,
  changes: readonly ImportedChange[],
): Generator<Buffer> {
  const at = batch.at.toISOString();
  yield* inPieces(changes.length, (i) => {
    const { id, channel, from, to } = changes[i] as ImportedChange;
    return line([batch.accountId, id, at, channel, from, to, 'import']);
  });
}

function mailboxIn(record: ImportedRecord): number {
  return record.emailKey === null ? 0 : getMailbox(record.emailKey);
}

const ROWS_OF_PIECE = 500;

/** Joins lines of COPY's text format into pieces of several rows. */
function* inPieces(count: number, lineOf: (i: number) => string): Generator<Buffer> {
  let text = '';
  for (let i = 0; i < count; i++) {
    text += lineOf(i);
    if (i % ROWS_OF_PIECE === ROWS_OF_PIECE - 1 && text !== '') {
      yield Buffer.from(text);
      text = '';
    }
  }
  if (text !== '') yield Buffer.from(text);
}

const SPECIAL = /[\\\t\n\r]/;

function line(cells: ReadonlyArray<string | number | null>): string {
  let text = '';
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] as string | number | null;
    if (i > 0) text += '\t';
    if (cell === null) text += '\\N';
    else if (typeof cell === 'number') text += cell;
    else text += SPECIAL.test(cell) ? escapeCell(cell) : cell;
  }
  return `${text}\n`;
}

function escapeCell(cell: string): string {
  return cell
    .replaceAll('\\', '\\\\')
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
}
