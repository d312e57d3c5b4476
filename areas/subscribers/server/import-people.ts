// Imports batches of subscribers into an account, with a few statements per batch for its new and
// its known rows.
import { countSubscribers, readAccount } from '#areas/accounts/server/index.ts';
import type { CopyIn, Tx } from '#platform/server/database/database.ts';
import { CHANNELS, type Channel, type SuppressionReason } from '../shared.ts';
import {
  statusesChanged,
  subscribersCreated,
  subscribersUnsubscribed,
  subscribersUpdated,
} from './events.ts';
import {
  changeLines,
  renderConsentLines,
  renderNewLines,
  renderStagedLines,
  renderStatusLines,
} from './import-lines.ts';
import { hasOptOut } from './import-opt-outs.ts';
import * as store from './import-people.sql.ts';
import {
  type ImportedRecord,
  type ImportBatch,
  type ImportBatchResult,
  type StagedRecord,
  type NewStatuses,
  getRequestedStatus,
} from './imported-people.ts';
import { resolveFirstStatuses } from './person-addresses.ts';
import { insertConsents } from './statuses.sql.ts';
import { linkSuppressions, suppress, findSuppressedOn } from './suppression.ts';

/**
 * Imports one batch within the caller's transaction (see inCopyTransaction). It never resubscribes
 * unsubscribed, reported or bounced subscribers, nor suppressed addresses. A batch that was rolled
 * back can be imported again. If a committed batch is imported again, all its subscribers are
 * `unchanged`.
 *
 * Subscribers who are certainly new are copied directly into the table, the others are staged and
 * merged. If the same subscriber is created concurrently, the copy fails with a unique violation
 * (23505). The caller then repeats the batch without `createdBefore`, as it does if `isSuperseded`
 * returns true.
 */
export async function importRecords(
  tx: Tx,
  copy: CopyIn,
  batch: ImportBatch,
): Promise<ImportBatchResult> {
  const result: ImportBatchResult = {
    created: [],
    updated: [],
    unchanged: [],
    unmailableRows: [],
    takenPhones: [],
    isSuperseded: async () => false,
  };
  if (batch.records.length === 0) {
    await batch.waitForTurn?.();
    return result;
  }
  const account = await readAccount(tx, batch.accountId);
  const isAlone = account.subscriber_count === batch.createdBefore;
  if (!isAlone) await batch.waitForTurn?.();
  const suppressions = await findSuppressed(tx, batch);
  const records = batch.records.map((record) => ({
    record,
    statuses: resolveNewStatuses(record, batch, suppressions),
  }));
  result.isSuperseded = () => isSuperseded(tx, batch, records);
  await store.preferIndexes(tx);
  const [newRecords, existingRecords] = isAlone ? [records, []] : await divide(tx, batch, records);
  if (newRecords.length > 0) result.created = await addFresh(tx, copy, batch, newRecords);
  if (isAlone) await batch.waitForTurn?.();
  if (existingRecords.length > 0) await mergeKnown(tx, copy, batch, existingRecords, result);
  for (const [channel, keys] of suppressions)
    await linkSuppressions(tx, batch.accountId, channel, [...keys.keys()]);
  await suppressOptOuts(tx, batch);
  recordSuppressed(records, result);
  await announce(tx, batch, result);
  await countSubscribers(tx, batch.accountId, result.created.length);
  return result;
}

/** Splits the rows into certainly new ones and rows with an existing address or number. */
async function divide(
  tx: Tx,
  batch: ImportBatch,
  records: StagedRecord[],
): Promise<[StagedRecord[], StagedRecord[]]> {
  const existing = await store.findExistingAddresses(tx, batch.accountId, {
    emails: records.flatMap(({ record }) => record.emailKey ?? []),
    phones: records.flatMap(({ record }) => record.phone ?? []),
  });
  if (existing.size === 0) return [records, []];
  const isKnown = ({ record }: StagedRecord) =>
    existing.has(record.emailKey ?? '') || existing.has(record.phone ?? '');
  return [records.filter((record) => !isKnown(record)), records.filter(isKnown)];
}

/**
 * Adds new subscribers in the order of their address keys, so that neighboring index entries are
 * written together.
 */
async function addFresh(
  tx: Tx,
  copy: CopyIn,
  batch: ImportBatch,
  records: StagedRecord[],
): Promise<number[]> {
  records.sort((a, b) => ((a.record.emailKey ?? '~') < (b.record.emailKey ?? '~') ? -1 : 1));
  const ids = await store.takeIds(tx, records.length);
  await store.copyRecords(copy, renderNewLines(batch, records, ids));
  await store.copyConsents(copy, renderConsentLines(batch, records, ids));
  await store.copyStatusChanges(copy, renderStatusLines(batch, records, ids));
  return ids;
}

async function mergeKnown(
  tx: Tx,
  copy: CopyIn,
  importedBatch: ImportBatch,
  matchedRecords: readonly StagedRecord[],
  result: ImportBatchResult,
): Promise<void> {
  const batch = { ...importedBatch, records: matchedRecords.map(({ record }) => record) };
  await store.copyStaged(copy, renderStagedLines(batch, matchedRecords));
  const adoptedIds = await settlePhones(tx, copy, batch, result);
  const matchedRows = await settleExisting(tx, copy, batch, result, adoptedIds);
  const newRecords = withoutTaken(matchedRecords, result.takenPhones).filter(
    ({ record }) => !matchedRows.has(record.row),
  );
  if (newRecords.length > 0) result.created.push(...(await addFresh(tx, copy, batch, newRecords)));
  await store.deleteStaged(tx, batch);
}

/** Removes the phone numbers of the rows in `rowNumbers`: they belong to other subscribers. */
function withoutTaken(
  records: readonly StagedRecord[],
  rowNumbers: readonly number[],
): StagedRecord[] {
  const takenRows = new Set(rowNumbers);
  return records.map(({ record, statuses }) =>
    takenRows.has(record.row)
      ? {
          record: { ...record, phone: null, smsStatus: null },
          statuses: { ...statuses, sms_status: 'non-subscribed', tsms_status: 'non-subscribed' },
        }
      : { record, statuses },
  );
}

async function announce(tx: Tx, batch: ImportBatch, result: ImportBatchResult): Promise<void> {
  const { accountId } = batch;
  if (result.created.length > 0)
    await subscribersCreated.announce(tx, {
      accountId,
      subscriberIds: result.created,
      source: 'import',
      origin: batch.origin ?? 'bulk',
    });
  if (result.updated.length > 0)
    await subscribersUpdated.announce(tx, {
      accountId,
      subscriberIds: result.updated,
      fieldIds: [...batch.fieldIds],
      origin: batch.origin ?? 'bulk',
    });
}

/** Resolves conflicts with phone numbers of existing subscribers, if the batch has numbers. */
async function settlePhones(
  tx: Tx,
  copy: CopyIn,
  batch: ImportBatch,
  result: ImportBatchResult,
): Promise<number[]> {
  if (!batch.records.some((record) => record.phone !== null && record.emailKey !== null)) return [];
  const { ids, rowNumbers, changes } = await store.lockAdopting(tx, batch);
  if (ids.length > 0) {
    await store.saveAdoptingImages(tx, batch, rowNumbers);
    await store.adoptAddresses(tx, batch, rowNumbers);
    await store.copyStatusChanges(copy, changeLines(batch, changes));
  }
  result.takenPhones = await store.dropUsedPhones(tx, batch);
  return ids;
}

/** Updates existing subscribers; returns their rows. */
async function settleExisting(
  tx: Tx,
  copy: CopyIn,
  batch: ImportBatch,
  result: ImportBatchResult,
  adoptedIds: readonly number[],
): Promise<Set<number>> {
  const rowNumbers = new Set<number>();
  const updatedIds = new Set(adoptedIds);
  const unchangedIds = new Set<number>();
  const keys = batch.records.some((record) => record.emailKey === null)
    ? (['email_key', 'phone_key'] as const)
    : (['email_key'] as const);
  for (const keyColumn of keys) {
    const matches = await store.lockMatchedSubscribers(tx, batch, keyColumn);
    if (matches.updated.length > 0) {
      await store.saveImages(tx, batch, keyColumn, matches.changedRows);
      await store.updateMatched(tx, batch, keyColumn, matches.changedRows);
    }
    for (const rowNumber of matches.rowNumbers) rowNumbers.add(rowNumber);
    for (const id of matches.updated) updatedIds.add(id);
    for (const id of matches.unchanged) unchangedIds.add(id);
    result.unmailableRows.push(...matches.unmailableRows);
    await settleStatuses(tx, copy, batch, matches.changes);
  }
  result.updated = [...updatedIds];
  result.unchanged = [...unchangedIds].filter((id) => !updatedIds.has(id));
  await recordConsents(tx, batch, 'email', adoptedIds);
  return rowNumbers;
}

/**
 * Records the history of changed statuses, publishes their events, and records the consent of
 * subscribers who became active.
 */
async function settleStatuses(
  tx: Tx,
  copy: CopyIn,
  batch: ImportBatch,
  changes: readonly store.ImportedChange<'email' | 'sms'>[],
): Promise<void> {
  if (changes.length === 0) return;
  await store.copyStatusChanges(copy, changeLines(batch, changes));
  const groups = Map.groupBy(changes, (change) => `${change.channel} ${change.to}`);
  for (const group of groups.values()) {
    const { channel, to } = group[0] as (typeof group)[number];
    const subscriberIds = group.map((change) => change.id);
    const event = { accountId: batch.accountId, subscriberIds, channel, reason: 'import' as const };
    if (to === 'unsubscribed')
      await subscribersUnsubscribed.announce(tx, {
        ...{ ...event, messageId: undefined },
        origin: batch.origin ?? 'bulk',
      });
    else await statusesChanged.announce(tx, { ...event, to });
    if (to === 'active') await recordConsents(tx, batch, channel, subscriberIds);
  }
}

async function recordConsents(
  tx: Tx,
  batch: ImportBatch,
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

type SuppressionsByChannel = ReadonlyMap<Channel, ReadonlyMap<string, SuppressionReason>>;

/** Returns the statuses of a new subscriber: the requested ones, limited by suppressions. */
export function resolveNewStatuses(
  record: ImportedRecord,
  batch: ImportBatch,
  suppressions: SuppressionsByChannel,
): NewStatuses {
  const { emailKey, phone: phoneKey } = record;
  const email = getRequestedStatus(record, batch, 'email');
  const reasons: Partial<Record<Channel, SuppressionReason>> = {};
  for (const [channel, keys] of suppressions) {
    const reason = keys.get(
      channel === 'email' || channel === 'temail' ? (emailKey ?? '') : (phoneKey ?? ''),
    );
    if (reason !== undefined) reasons[channel] = reason;
  }
  return resolveFirstStatuses(
    { emailKey, phoneKey },
    {
      email,
      temail: email === 'bounced' ? 'bounced' : 'active',
      sms: getRequestedStatus(record, batch, 'sms'),
    },
    reasons,
  );
}

/**
 * Finds suppressions of the batch's addresses by channel; nothing is hashed if the account has
 * none.
 */
export async function findSuppressed(tx: Tx, batch: ImportBatch): Promise<SuppressionsByChannel> {
  const reasonsByChannel = new Map<Channel, Map<string, SuppressionReason>>();
  if (!(await store.hasSuppressions(tx, batch.accountId))) return reasonsByChannel;
  const emails = batch.records.flatMap((record) => record.emailKey ?? []);
  const phones = batch.records.flatMap((record) => record.phone ?? []);
  for (const [channels, keys] of [
    [['email', 'temail'], emails],
    [['sms', 'tsms'], phones],
  ] as const) {
    if (keys.length === 0) continue;
    const ofAddresses = await findSuppressedOn(tx, batch.accountId, channels, keys);
    for (const [channel, reasons] of ofAddresses) reasonsByChannel.set(channel, reasons);
  }
  return reasonsByChannel;
}

/** Maximum duration of a transaction that suppresses addresses. */
const LATE_MS = 10 * 60_000;

/**
 * Returns whether a suppression that was stored after the statuses were resolved changes one of
 * them; see ImportBatchResult. Rows with an opt-out are excluded, because the batch itself has
 * suppressed their addresses.
 */
async function isSuperseded(
  tx: Tx,
  batch: ImportBatch,
  records: readonly StagedRecord[],
): Promise<boolean> {
  const since = new Date(batch.at.getTime() - LATE_MS);
  if (!(await store.hasSuppressionsSince(tx, batch.accountId, since))) return false;
  const unreported = records.filter(({ record }) => !hasOptOut(record));
  const unreportedBatch = { ...batch, records: unreported.map(({ record }) => record) };
  const suppressions = await findSuppressed(tx, unreportedBatch);
  return unreported.some(({ record, statuses }) => {
    const now = resolveNewStatuses(record, batch, suppressions);
    return CHANNELS.some((channel) => now[`${channel}_status`] !== statuses[`${channel}_status`]);
  });
}

/**
 * Opt-outs, complaints and bounces in the file apply to the address, even if the subscriber does
 * not change.
 */
async function suppressOptOuts(tx: Tx, batch: ImportBatch): Promise<void> {
  for (const reason of ['unsubscribed', 'reported', 'bounced'] as const) {
    const emails: string[] = [];
    const phones: string[] = [];
    for (const record of batch.records) {
      if (record.emailStatus === reason && record.emailKey !== null) emails.push(record.emailKey);
      if (record.smsStatus === reason && record.phone !== null) phones.push(record.phone);
    }
    const { accountId } = batch;
    if (emails.length > 0) await suppress(tx, accountId, emails, { channel: 'email', reason });
    if (emails.length > 0 && reason === 'bounced')
      await suppress(tx, accountId, emails, { channel: 'temail', reason });
    if (phones.length > 0) await suppress(tx, accountId, phones, { channel: 'sms', reason });
  }
}

/** Adds to `unmailableRows` the rows that would be active if their address were not suppressed. */
export function recordSuppressed(
  records: readonly StagedRecord[],
  result: { unmailableRows: number[] },
): void {
  const unmailableRows = new Set(result.unmailableRows);
  for (const { record, statuses } of records) {
    const { row, emailKey, emailStatus } = record;
    if (emailKey === null || (emailStatus ?? 'active') !== 'active') continue;
    const status = statuses.email_status;
    if (status !== 'active' && status !== 'non-subscribed' && !unmailableRows.has(row))
      result.unmailableRows.push(row);
  }
}
