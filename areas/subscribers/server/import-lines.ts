// Lines of COPY's text format for a batch: new subscribers with their consent and unusual statuses,
// staged rows of people who may exist already, and status changes of existing subscribers.
import { getMailbox } from '../shared.ts';
import type { ImportedChange } from './import-people.sql.ts';
import {
  type ImportedPerson,
  type PeopleBatch,
  type StagedPerson,
  getRequestedStatus,
} from './imported-people.ts';

export function* renderStagedLines(
  batch: PeopleBatch,
  people: readonly StagedPerson[],
): Generator<Buffer> {
  yield* inPieces(people.length, (i) => {
    const { person, statuses } = people[i] as StagedPerson;
    return line([
      batch.accountId,
      batch.importId,
      person.row,
      person.email,
      person.emailKey,
      person.phone,
      person.firstname,
      person.lastname,
      person.fieldValues,
      statuses.email_status,
      statuses.temail_status,
      statuses.sms_status,
      statuses.tsms_status,
      person.emailStatus,
      person.smsStatus,
      mailboxIn(person),
      person.consentAt?.toISOString() ?? null,
      person.unsubscribedAt?.toISOString() ?? null,
    ]);
  });
}

export function* renderNewLines(
  batch: PeopleBatch,
  people: readonly StagedPerson[],
  ids: readonly number[],
): Generator<Buffer> {
  const at = batch.at.toISOString();
  yield* inPieces(people.length, (i) => {
    const { person, statuses } = people[i] as StagedPerson;
    const hasLeft = statuses.email_status === 'unsubscribed';
    return line([
      batch.accountId,
      ids[i] as number,
      person.email,
      person.emailKey,
      person.phone,
      person.phone,
      person.firstname,
      person.lastname,
      person.fieldValues,
      statuses.email_status,
      statuses.temail_status,
      statuses.sms_status,
      statuses.tsms_status,
      mailboxIn(person),
      batch.importId,
      hasLeft ? (person.unsubscribedAt ?? batch.at).toISOString() : null,
      statuses.email_status === 'bounced' ? at : null,
      at,
      at,
      'import',
    ]);
  });
}

export function* renderConsentLines(
  batch: PeopleBatch,
  people: readonly StagedPerson[],
  ids: readonly number[],
): Generator<Buffer> {
  const at = batch.at.toISOString();
  for (const channel of batch.consent.channels) {
    const status = channel === 'email' ? 'email_status' : 'sms_status';
    yield* inPieces(people.length, (i) => {
      const { person, statuses } = people[i] as StagedPerson;
      if (statuses[status] !== 'active') return '';
      const when = person.consentAt?.toISOString() ?? at;
      return line([
        batch.accountId,
        ids[i] as number,
        when,
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
 * Lines of the history of statuses: for new subscribers, only statuses that differ from the initial
 * ones. Without consent, a suppression is recorded as a change from `non-subscribed`.
 */
export function* renderStatusLines(
  batch: PeopleBatch,
  people: readonly StagedPerson[],
  ids: readonly number[],
): Generator<Buffer> {
  const at = batch.at.toISOString();
  yield* inPieces(people.length, (i) => {
    const { person, statuses } = people[i] as StagedPerson;
    const { emailKey, phone } = person;
    const id = ids[i] as number;
    const statusLine = (channel: 'email' | 'sms', status: string) => {
      const isStranger = getRequestedStatus(person, batch, channel) === 'non-subscribed';
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

/** Lines of the history of existing subscribers. */
export function* changeLines(
  batch: PeopleBatch,
  changes: readonly ImportedChange[],
): Generator<Buffer> {
  const at = batch.at.toISOString();
  yield* inPieces(changes.length, (i) => {
    const { id, channel, from, to } = changes[i] as ImportedChange;
    return line([batch.accountId, id, at, channel, from, to, 'import']);
  });
}

function mailboxIn(person: ImportedPerson): number {
  return person.emailKey === null ? 0 : getMailbox(person.emailKey);
}

const ROWS_OF_PIECE = 500;

/** Joins lines of COPY's text format to pieces of several rows. */
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
    else text += SPECIAL.test(cell) ? escaped(cell) : cell;
  }
  return `${text}\n`;
}

function escaped(cell: string): string {
  return cell
    .replaceAll('\\', '\\\\')
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
}
