// Imports batches of subscribers into an account, by statements for all new and all known rows.
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
  type ImportedPerson,
  type PeopleBatch,
  type PeopleBatchResult,
  type StagedPerson,
  type Statuses,
  getRequestedStatus,
} from './imported-people.ts';
import { resolveFirstStatuses } from './person-addresses.ts';
import { insertConsents } from './statuses.sql.ts';
import { linkSuppressions, suppress, findSuppressedOn } from './suppression.ts';

/**
 * Imports one batch within the caller's transaction (see inCopyTransaction). It never resubscribes
 * unsubscribed, reported or bounced subscribers, nor suppressed addresses. Repeated after a
 * rollback it does the same; after a commit all are `unchanged`.
 *
 * Certainly new subscribers are copied directly into the table, the others are staged and merged.
 * If the same subscriber is created concurrently, the copy fails with a unique violation (23505).
 * The caller then repeats the batch without `createdBefore`, as it does if `isSuperseded` returns
 * true.
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
    takenPhones: [],
    isSuperseded: async () => false,
  };
  if (batch.people.length === 0) {
    await batch.turn?.();
    return result;
  }
  const account = await readAccount(tx, batch.accountId);
  const isAlone = account.subscriber_count === batch.createdBefore;
  if (!isAlone) await batch.turn?.();
  const suppressed = await findSuppressed(tx, batch);
  const people = batch.people.map((person) => ({
    person,
    statuses: resolveNewStatuses(person, batch, suppressed),
  }));
  result.isSuperseded = () => isSuperseded(tx, batch, people);
  await store.preferIndexes(tx);
  const [fresh, known] = isAlone ? [people, []] : await divide(tx, batch, people);
  if (fresh.length > 0) result.created = await addFresh(tx, copy, batch, fresh);
  if (isAlone) await batch.turn?.();
  if (known.length > 0) await mergeMet(tx, copy, batch, known, result);
  for (const [channel, keys] of suppressed)
    await linkSuppressions(tx, batch.accountId, channel, [...keys.keys()]);
  await suppressOptOuts(tx, batch);
  recordSuppressed(people, result);
  await announce(tx, batch, result);
  await countSubscribers(tx, batch.accountId, result.created.length);
  return result;
}

/** Splits the rows into those that are certainly new, and those whose address or number exists. */
async function divide(
  tx: Tx,
  batch: PeopleBatch,
  people: StagedPerson[],
): Promise<[StagedPerson[], StagedPerson[]]> {
  const known = await store.findKnown(tx, batch.accountId, {
    emails: people.flatMap(({ person }) => person.emailKey ?? []),
    phones: people.flatMap(({ person }) => person.phone ?? []),
  });
  if (known.size === 0) return [people, []];
  const isMet = ({ person }: StagedPerson) =>
    known.has(person.emailKey ?? '') || known.has(person.phone ?? '');
  return [people.filter((person) => !isMet(person)), people.filter(isMet)];
}

/**
 * Adds new subscribers in the order of their address keys, so that neighboring index entries are
 * written together.
 */
async function addFresh(
  tx: Tx,
  copy: CopyIn,
  batch: PeopleBatch,
  people: StagedPerson[],
): Promise<number[]> {
  people.sort((a, b) => ((a.person.emailKey ?? '~') < (b.person.emailKey ?? '~') ? -1 : 1));
  const ids = await store.takeIds(tx, people.length);
  await store.copyPeople(copy, renderNewLines(batch, people, ids));
  await store.copyConsents(copy, renderConsentLines(batch, people, ids));
  await store.copyStatusChanges(copy, renderStatusLines(batch, people, ids));
  return ids;
}

async function mergeMet(
  tx: Tx,
  copy: CopyIn,
  importedBatch: PeopleBatch,
  met: readonly StagedPerson[],
  result: PeopleBatchResult,
): Promise<void> {
  const batch = { ...importedBatch, people: met.map(({ person }) => person) };
  await store.copyStaged(copy, renderStagedLines(batch, met));
  const adopted = await settlePhones(tx, copy, batch, result);
  const matchedRows = await settleExisting(tx, copy, batch, result, adopted);
  const fresh = withoutTaken(met, result.takenPhones).filter(
    ({ person }) => !matchedRows.has(person.row),
  );
  if (fresh.length > 0) result.created.push(...(await addFresh(tx, copy, batch, fresh)));
  await store.deleteStaged(tx, batch);
}

/** Removes the phone numbers of the rows in `rowNumbers`: they belong to other subscribers. */
function withoutTaken(
  people: readonly StagedPerson[],
  rowNumbers: readonly number[],
): StagedPerson[] {
  const taken = new Set(rowNumbers);
  return people.map(({ person, statuses }) =>
    taken.has(person.row)
      ? {
          person: { ...person, phone: null, smsStatus: null },
          statuses: { ...statuses, sms_status: 'non-subscribed', tsms_status: 'non-subscribed' },
        }
      : { person, statuses },
  );
}

async function announce(tx: Tx, batch: PeopleBatch, result: PeopleBatchResult): Promise<void> {
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
  batch: PeopleBatch,
  result: PeopleBatchResult,
): Promise<number[]> {
  if (!batch.people.some((person) => person.phone !== null && person.emailKey !== null)) return [];
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
  batch: PeopleBatch,
  result: PeopleBatchResult,
  adopted: readonly number[],
): Promise<Set<number>> {
  const rowNumbers = new Set<number>();
  const updated = new Set(adopted);
  const unchanged = new Set<number>();
  const keys = batch.people.some((person) => person.emailKey === null)
    ? (['email_key', 'phone_key'] as const)
    : (['email_key'] as const);
  for (const by of keys) {
    const matched = await store.lockMatched(tx, batch, by);
    if (matched.updated.length > 0) {
      await store.saveImages(tx, batch, by, matched.changedRows);
      await store.updateMatched(tx, batch, by, matched.changedRows);
    }
    for (const rowNumber of matched.rowNumbers) rowNumbers.add(rowNumber);
    for (const id of matched.updated) updated.add(id);
    for (const id of matched.unchanged) unchanged.add(id);
    result.kept.push(...matched.kept);
    await settleStatuses(tx, copy, batch, matched.changes);
  }
  result.updated = [...updated];
  result.unchanged = [...unchanged].filter((id) => !updated.has(id));
  await recordConsents(tx, batch, 'email', adopted);
  return rowNumbers;
}

/**
 * Records the history of changed statuses, publishes their events, and records the consent of those
 * who became active.
 */
async function settleStatuses(
  tx: Tx,
  copy: CopyIn,
  batch: PeopleBatch,
  changes: readonly store.ImportedChange<'email' | 'sms'>[],
): Promise<void> {
  if (changes.length === 0) return;
  await store.copyStatusChanges(copy, changeLines(batch, changes));
  const groups = Map.groupBy(changes, (change) => `${change.channel} ${change.to}`);
  for (const group of groups.values()) {
    const { channel, to } = group[0] as (typeof group)[number];
    const subscriberIds = group.map((change) => change.id);
    const facts = { accountId: batch.accountId, subscriberIds, channel, reason: 'import' as const };
    if (to === 'unsubscribed')
      await subscribersUnsubscribed.announce(tx, {
        ...{ ...facts, messageId: undefined },
        origin: batch.origin ?? 'bulk',
      });
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

type SuppressionsByChannel = ReadonlyMap<Channel, ReadonlyMap<string, SuppressionReason>>;

/** The statuses of a new subscriber: the requested ones, limited by suppressions. */
export function resolveNewStatuses(
  person: ImportedPerson,
  batch: PeopleBatch,
  suppressed: SuppressionsByChannel,
): Statuses {
  const { emailKey, phone: phoneKey } = person;
  const email = getRequestedStatus(person, batch, 'email');
  const reasons: Partial<Record<Channel, SuppressionReason>> = {};
  for (const [channel, keys] of suppressed) {
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
      sms: getRequestedStatus(person, batch, 'sms'),
    },
    reasons,
  );
}

/**
 * Suppressions of the batch's addresses by channel; nothing is hashed if the account has none.
 */
export async function findSuppressed(tx: Tx, batch: PeopleBatch): Promise<SuppressionsByChannel> {
  const found = new Map<Channel, Map<string, SuppressionReason>>();
  if (!(await store.hasSuppressions(tx, batch.accountId))) return found;
  const emails = batch.people.flatMap((person) => person.emailKey ?? []);
  const phones = batch.people.flatMap((person) => person.phone ?? []);
  for (const [channels, keys] of [
    [['email', 'temail'], emails],
    [['sms', 'tsms'], phones],
  ] as const) {
    if (keys.length === 0) continue;
    const ofAddresses = await findSuppressedOn(tx, batch.accountId, channels, keys);
    for (const [channel, reasons] of ofAddresses) found.set(channel, reasons);
  }
  return found;
}

/** Upper bound of the duration of a transaction that suppresses addresses. */
const LATE_MS = 10 * 60_000;

/**
 * Whether a later suppression would give another status; see PeopleBatchResult. The file's own
 * suppressions are stored by now, so they are excluded.
 */
async function isSuperseded(
  tx: Tx,
  batch: PeopleBatch,
  people: readonly StagedPerson[],
): Promise<boolean> {
  const since = new Date(batch.at.getTime() - LATE_MS);
  if (!(await store.hasSuppressionsSince(tx, batch.accountId, since))) return false;
  const unreported = people.filter(({ person }) => !hasOptOut(person));
  const unreportedBatch = { ...batch, people: unreported.map(({ person }) => person) };
  const suppressed = await findSuppressed(tx, unreportedBatch);
  return unreported.some(({ person, statuses }) => {
    const now = resolveNewStatuses(person, batch, suppressed);
    return CHANNELS.some((channel) => now[`${channel}_status`] !== statuses[`${channel}_status`]);
  });
}

/**
 * Opt-outs, complaints and bounces in the file apply to the address, even if the subscriber does
 * not change.
 */
async function suppressOptOuts(tx: Tx, batch: PeopleBatch): Promise<void> {
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

/** New subscribers who are not active because of a suppression are reported like existing ones. */
export function recordSuppressed(
  people: readonly StagedPerson[],
  result: { kept: number[] },
): void {
  const known = new Set(result.kept);
  for (const { person, statuses } of people) {
    const { row, emailKey, emailStatus } = person;
    if (emailKey === null || (emailStatus ?? 'active') !== 'active') continue;
    const status = statuses.email_status;
    if (status !== 'active' && status !== 'non-subscribed' && !known.has(row))
      result.kept.push(row);
  }
}
