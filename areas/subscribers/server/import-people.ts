// Takes a batch of people from an import into the account, in sets: who is new, who changed, who stays.
import { countSubscribers } from '#areas/accounts/server/index.ts';
import type { CopyIn, Tx } from '#platform/server/database.ts';
import {
  type Channel,
  mailboxOf,
  type SubscriptionStatus,
  type SuppressionReason,
} from '../limits.ts';
import {
  statusesChanged,
  subscribersCreated,
  subscribersUnsubscribed,
  subscribersUpdated,
} from './events.ts';
import * as store from './import-people.sql.ts';
import { firstStatuses } from './people.ts';
import { insertConsents } from './statuses.sql.ts';
import { suppress, suppressedAmong } from './suppression.ts';

/** One person as a file tells them. Email keys and phones are those of parseEmail and parsePhone. */
export interface ImportedPerson {
  row: number;
  email: string | null;
  emailKey: string | null;
  phone: string | null;
  firstname: string | null;
  lastname: string | null;
  /** JSON of custom values by field number: only those that the file names. */
  fieldValues: string;
  /** Null where the file says nothing. */
  emailStatus: SubscriptionStatus | null;
  smsStatus: SubscriptionStatus | null;
  consentAt: Date | null;
  unsubscribedAt: Date | null;
}

export interface PeopleBatch {
  accountId: number;
  importId: number;
  at: Date;
  /** Each address and each number once in the whole import. */
  people: readonly ImportedPerson[];
  /** Who attested that these people agreed, and to what. */
  consent: { userId: number | null; channels: ReadonlyArray<'email' | 'sms'> };
  /** The custom fields that the file has values for. */
  fieldIds: readonly number[];
}

export interface PeopleBatchResult {
  /** Ids of the people, each in exactly one of the three. */
  created: number[];
  updated: number[];
  unchanged: number[];
  /** Rows of people who will not be mailed: they had unsubscribed, complained, bounced or were suppressed. */
  kept: number[];
  /** Rows whose phone number belongs to somebody else. */
  phonesTaken: number[];
}

/**
 * Imports one batch within the caller's transaction (see inCopyTransaction). Nobody returns by it from
 * unsubscribed, reported or bounced: neither people who are there, nor addresses suppressed before.
 * Run again after a rollback it does the same; after a commit everybody is `unchanged`.
 */
export async function importPeople(
  tx: Tx,
  copy: CopyIn,
  batch: PeopleBatch,
): Promise<PeopleBatchResult> {
  const result: PeopleBatchResult = {
    created: [],
    updated: [],
    unchanged: [],
    kept: [],
    phonesTaken: [],
  };
  if (batch.people.length === 0) return result;
  const suppressed = await findSuppressed(tx, batch);
  const statuses = batch.people.map((person) => newStatuses(person, batch, suppressed));
  await store.preferIndexes(tx);
  await store.copyStaged(copy, stagedLines(batch, statuses));
  const adopted = await settlePhones(tx, batch, result);
  result.created = await store.insertStaged(tx, batch, {
    ...batch.consent,
    hasDates: batch.people.some((person) => person.consentAt !== null),
  });
  if (result.created.length < batch.people.length) await settleExisting(tx, batch, result, adopted);
  await suppressTold(tx, batch);
  await store.deleteStaged(tx, batch);
  noteSuppressed(batch, statuses, result);
  await announce(tx, batch, result);
  await countSubscribers(tx, batch.accountId, result.created.length);
  return result;
}

async function announce(tx: Tx, batch: PeopleBatch, result: PeopleBatchResult): Promise<void> {
  const { accountId } = batch;
  if (result.created.length > 0)
    await subscribersCreated.announce(tx, {
      accountId,
      subscriberIds: result.created,
      source: 'import',
    });
  if (result.updated.length > 0)
    await subscribersUpdated.announce(tx, {
      accountId,
      subscriberIds: result.updated,
      fieldIds: [...batch.fieldIds],
    });
}

/** Numbers can only meet people who are there where the batch has numbers. */
async function settlePhones(
  tx: Tx,
  batch: PeopleBatch,
  result: PeopleBatchResult,
): Promise<number[]> {
  if (!batch.people.some((person) => person.phone !== null && person.emailKey !== null)) return [];
  const adopted = await store.adoptAddresses(tx, batch);
  result.phonesTaken = await store.dropTakenPhones(tx, batch);
  return adopted;
}

async function settleExisting(
  tx: Tx,
  batch: PeopleBatch,
  result: PeopleBatchResult,
  adopted: readonly number[],
): Promise<void> {
  const updated = new Set(adopted);
  const unchanged = new Set<number>();
  const keys = batch.people.some((person) => person.emailKey === null)
    ? (['email_key', 'phone_key'] as const)
    : (['email_key'] as const);
  for (const by of keys) {
    const matched = await store.updateMatched(tx, batch, by);
    for (const id of matched.updated ?? []) updated.add(id);
    for (const id of matched.unchanged ?? []) unchanged.add(id);
    result.kept.push(...(matched.kept ?? []));
    await settleStatuses(tx, batch, matched.changes ?? []);
  }
  result.updated = [...updated];
  result.unchanged = [...unchanged].filter((id) => !updated.has(id));
  await recordConsents(tx, batch, 'email', adopted);
}

/** Tells who left or came, and records the consent of those who came. */
async function settleStatuses(
  tx: Tx,
  batch: PeopleBatch,
  changes: NonNullable<store.MatchedStaged['changes']>,
): Promise<void> {
  const groups = Map.groupBy(changes, (change) => `${change.channel} ${change.to}`);
  for (const group of groups.values()) {
    const { channel, to } = group[0] as (typeof group)[number];
    const subscriberIds = group.map((change) => change.id);
    const facts = { accountId: batch.accountId, subscriberIds, channel, reason: 'import' as const };
    if (to === 'unsubscribed')
      await subscribersUnsubscribed.announce(tx, { ...facts, messageId: undefined });
    else await statusesChanged.announce(tx, { ...facts, to });
    if (to === 'active') await recordConsents(tx, batch, channel, subscriberIds);
  }
}

async function recordConsents(
  tx: Tx,
  batch: PeopleBatch,
  channel: 'email' | 'sms',
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0 || !batch.consent.channels.includes(channel)) return;
  await insertConsents(tx, batch.accountId, ids, {
    channel,
    kind: 'attested',
    source: 'import',
    sourceId: batch.importId,
    userId: batch.consent.userId ?? undefined,
    at: batch.at,
  });
}

type Statuses = ReturnType<typeof firstStatuses>;
type Suppressed = ReadonlyMap<Channel, ReadonlyMap<string, SuppressionReason>>;

/** What a new person gets: what the file says, but never more than a suppression allows. */
function newStatuses(person: ImportedPerson, batch: PeopleBatch, suppressed: Suppressed): Statuses {
  const attested = (channel: 'email' | 'sms'): SubscriptionStatus =>
    batch.consent.channels.includes(channel) ? 'active' : 'non-subscribed';
  const { emailKey, phone: phoneKey } = person;
  const email = person.emailStatus ?? attested('email');
  const reasons: Partial<Record<Channel, SuppressionReason>> = {};
  for (const [channel, keys] of suppressed) {
    const reason = keys.get(
      channel === 'email' || channel === 'temail' ? (emailKey ?? '') : (phoneKey ?? ''),
    );
    if (reason !== undefined) reasons[channel] = reason;
  }
  return firstStatuses(
    { emailKey, phoneKey },
    {
      email,
      temail: email === 'bounced' ? 'bounced' : 'active',
      sms: person.smsStatus ?? attested('sms'),
    },
    reasons,
  );
}

/** Suppressions of the batch's addresses by channel; no hash is made where the account has none. */
async function findSuppressed(tx: Tx, batch: PeopleBatch): Promise<Suppressed> {
  const found = new Map<Channel, Map<string, SuppressionReason>>();
  if (!(await store.hasSuppressions(tx, batch.accountId))) return found;
  const emails = batch.people.flatMap((person) => person.emailKey ?? []);
  const phones = batch.people.flatMap((person) => person.phone ?? []);
  for (const [channel, keys] of [
    ['email', emails],
    ['temail', emails],
    ['sms', phones],
    ['tsms', phones],
  ] as const) {
    if (keys.length > 0)
      found.set(channel, await suppressedAmong(tx, batch.accountId, channel, keys));
  }
  return found;
}

/** Opt-outs, complaints and bounces that the file tells hold for the address, whatever becomes of the person. */
async function suppressTold(tx: Tx, batch: PeopleBatch): Promise<void> {
  for (const reason of ['unsubscribed', 'reported', 'bounced'] as const) {
    const emails: string[] = [];
    const phones: string[] = [];
    for (const person of batch.people) {
      if (person.emailStatus === reason && person.emailKey !== null) emails.push(person.emailKey);
      if (person.smsStatus === reason && person.phone !== null) phones.push(person.phone);
    }
    const { accountId } = batch;
    if (emails.length > 0) await suppress(tx, accountId, emails, { channel: 'email', reason });
    if (emails.length > 0 && reason === 'bounced')
      await suppress(tx, accountId, emails, { channel: 'temail', reason });
    if (phones.length > 0) await suppress(tx, accountId, phones, { channel: 'sms', reason });
  }
}

/** New people whom a suppression kept from being active are told like those who were there. */
function noteSuppressed(
  batch: PeopleBatch,
  statuses: readonly Statuses[],
  result: PeopleBatchResult,
): void {
  const known = new Set(result.kept);
  batch.people.forEach((person, i) => {
    const got = statuses[i]?.email_status;
    if (person.emailKey === null || (person.emailStatus ?? 'active') !== 'active') return;
    if (got !== 'active' && got !== 'non-subscribed' && !known.has(person.row))
      result.kept.push(person.row);
  });
}

const rowsOfPiece = 500;

/** The batch as lines of COPY's text format, in pieces. */
function* stagedLines(batch: PeopleBatch, statuses: readonly Statuses[]): Generator<Buffer> {
  let text = '';
  for (let i = 0; i < batch.people.length; i++) {
    const person = batch.people[i] as ImportedPerson;
    const status = statuses[i] as Statuses;
    text += `${batch.accountId}\t${batch.importId}\t${person.row}\t${cell(person.email)}\t${cell(person.emailKey)}\t${cell(person.phone)}\t${cell(person.firstname)}\t${cell(person.lastname)}\t${cell(person.fieldValues)}\t${status.email_status}\t${status.temail_status}\t${status.sms_status}\t${status.tsms_status}\t${person.emailStatus ?? '\\N'}\t${person.smsStatus ?? '\\N'}\t${person.emailKey === null ? 0 : mailboxOf(person.emailKey)}\t${person.consentAt?.toISOString() ?? '\\N'}\t${person.unsubscribedAt?.toISOString() ?? '\\N'}\n`;
    if (i % rowsOfPiece === rowsOfPiece - 1) {
      yield Buffer.from(text);
      text = '';
    }
  }
  if (text !== '') yield Buffer.from(text);
}

const special = /[\\\t\n\r]/;

function cell(value: string | null): string {
  if (value === null) return '\\N';
  if (!special.test(value)) return value;
  return value
    .replaceAll('\\', '\\\\')
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
}
