// Saves the rows of a batch together. `upsertSubscriberByApi` saves or refuses a row individually
// if it has no email address, repeats the address or phone number of an earlier row, requests a
// status other than active, or has an error.

import { parseFieldValues } from '#areas/fields/server/index.ts';
import { addToGroups, readGroupTitles } from '#areas/groups/server/index.ts';
import {
  activateByApi,
  insertConsents,
  type ListedSubscriber,
  parseEmail,
  parsePhone,
  refreshEstimates,
  upsertSubscribers,
} from '#areas/subscribers/server/index.ts';
import type { Channel } from '#areas/subscribers/shared.ts';
import { clock } from '#platform/server/clock.ts';
import { afterCommit, type Db, type Tx } from '#platform/server/database/database.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import { createThrottle } from '#platform/server/limits/throttle.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import { clearCounts } from './list.ts';
import {
  readCause,
  splitFields,
  type RequestedStatuses,
  type PublicFields,
} from './public-subscribers.ts';

type BatchRow = PublicFields & { email?: string | undefined };
type Candidate = {
  index: number;
  body: BatchRow;
  subscriber: ListedSubscriber;
  customValues: Record<string, unknown>;
};
type SavedSubscriber = { id: number; isNew: boolean; notes: string[] };

/**
 * Saves rows in batches and returns the results by index. Rows that must be saved individually are
 * omitted.
 */
export async function upsertListedSubscribers(
  tx: Tx,
  caller: Actor,
  rows: ReadonlyMap<number, { body: BatchRow; statuses: RequestedStatuses }>,
): Promise<Map<number, SavedSubscriber>> {
  const results = new Map<number, SavedSubscriber>();
  const candidates = await addFieldValues(
    tx,
    caller,
    await filterOwnGroups(tx, caller, listCandidates(rows)),
  );
  const byCause = Map.groupBy(candidates, ({ body }) => body.trigger_automation);
  for (const group of byCause.values()) {
    const { body } = group[0] as Candidate;
    const resultByKey = await upsertSubscribers(
      tx,
      caller.accountId,
      group.map(({ subscriber }) => subscriber),
      { source: 'api', cause: readCause(body), consent: createAttestedConsent(caller, 'email') },
    );
    const savedRows = group.flatMap((candidate) => {
      const result = resultByKey.get(candidate.subscriber.emailKey);
      return result ? [{ ...candidate, ...result }] : [];
    });
    await joinGroups(tx, caller, savedRows);
    const smsActivated = await openSms(tx, caller, savedRows);
    for (const { index, id, isNew } of savedRows)
      results.set(index, { id, isNew, notes: smsActivated.has(id) ? ['Subscribed to sms'] : [] });
  }
  if (results.size > 0) afterCommit(() => clearCounts(caller.accountId));
  return results;
}

const createAttestedConsent = ({ userId }: Actor, channel: Channel) =>
  ({ channel, kind: 'attested', source: 'api', userId }) as const;

/**
 * Returns rows that have a valid email address, request no status but active, and do not repeat the
 * address or phone number of an earlier row.
 */
function listCandidates(
  rows: ReadonlyMap<number, { body: BatchRow; statuses: RequestedStatuses }>,
): Candidate[] {
  const seenKeys = new Set<string>();
  const candidates: Candidate[] = [];
  for (const [index, { body, statuses }] of rows) {
    const { own, custom: customValues } = splitFields(body.fields ?? {});
    const { firstname = own.firstname, lastname = own.lastname, phone = own.phone } = body;
    const email = body.email ? parseEmail(body.email) : undefined;
    const number = phone ? parsePhone(phone) : undefined;
    const keys = [
      ...(typeof email === 'object' ? [email.key] : []),
      ...(typeof number === 'object' ? [number.phone] : []),
    ];
    const isRepeated = keys.some((key) => seenKeys.has(key));
    for (const key of keys) seenKeys.add(key);
    if (isRepeated || typeof email !== 'object' || typeof number === 'string') continue;
    const active = activeChannels(statuses, number !== undefined);
    if (!active) continue;
    const names = { firstname, lastname, phone: number?.phone ?? null, fieldValues: {} };
    const candidate = { email: email.email, emailKey: email.key, ...names, activeChannels: active };
    candidates.push({ index, body, subscriber: candidate, customValues });
  }
  return candidates;
}

/** Returns the channels that a row activates; undefined if it requests another status. */
function activeChannels(statuses: RequestedStatuses, hasPhone: boolean): Channel[] | undefined {
  const requestedStatuses = Object.entries(statuses).filter(([, status]) => status !== undefined);
  if (requestedStatuses.some(([, status]) => status !== 'ACTIVE')) return undefined;
  const channels = new Set<Channel>([
    'email',
    ...requestedStatuses.map(([channel]) => channel as Channel),
  ]);
  const needsPhone = channels.has('sms') || channels.has('tsms');
  return needsPhone && !hasPhone ? undefined : [...channels];
}

async function filterOwnGroups(
  tx: Tx,
  { accountId }: Actor,
  candidates: readonly Candidate[],
): Promise<Candidate[]> {
  const ids = [...new Set(candidates.flatMap(({ body }) => body.groups ?? []))];
  if (ids.length === 0) return [...candidates];
  const titles = await readGroupTitles(tx, accountId, ids);
  return candidates.filter(({ body }) => (body.groups ?? []).every((id) => titles.has(id)));
}

/** Adds the values of custom fields; rows with unknown fields or invalid values are omitted. */
async function addFieldValues(
  tx: Tx,
  { accountId }: Actor,
  candidates: readonly Candidate[],
): Promise<Candidate[]> {
  const { values } = await parseFieldValues(
    tx,
    accountId,
    candidates.map(({ customValues }) => customValues),
  );
  return candidates.flatMap((candidate, index) => {
    const fieldValues = values[index] ?? {};
    const isWhole = Object.keys(fieldValues).length === Object.keys(candidate.customValues).length;
    return isWhole ? [{ ...candidate, subscriber: { ...candidate.subscriber, fieldValues } }] : [];
  });
}

type SavedRow = Candidate & { id: number; isNew: boolean };

async function joinGroups(
  tx: Tx,
  { accountId }: Actor,
  savedRows: readonly SavedRow[],
): Promise<void> {
  const joining = savedRows.filter(({ body }) => body.groups && body.groups.length > 0);
  const byGroups = Map.groupBy(joining, ({ body }) => [...new Set(body.groups)].sort().join());
  for (const group of byGroups.values()) {
    const { body } = group[0] as SavedRow;
    await addToGroups(tx, accountId, {
      groupIds: body.groups ?? [],
      subscriberIds: group.map(({ id }) => id),
      ...readCause(body),
    });
  }
}

/**
 * Activates SMS for new subscribers whose rows request it, and returns the ids of these
 * subscribers. Existing subscribers need no activation: they are in a batch only if the channels
 * that their rows request are already active.
 */
async function openSms(
  tx: Tx,
  caller: Actor,
  savedRows: readonly SavedRow[],
): Promise<Set<number>> {
  const { accountId, userId } = caller;
  const opening = savedRows.filter(
    ({ isNew, subscriber }) => isNew && subscriber.activeChannels.includes('sms'),
  );
  const subscriberIds = opening.map(({ id }) => id);
  if (subscriberIds.length === 0) return new Set();
  await activateByApi(tx, accountId, { subscriberIds }, { channel: 'sms', userId });
  const consent = { ...createAttestedConsent(caller, 'sms'), at: clock.now() };
  await insertConsents(tx, accountId, subscriberIds, consent);
  return new Set(subscriberIds);
}

/** Limits updates per process: updating the statistics of a large table takes seconds. */
const mayRefresh = createThrottle({ capacity: 3, perSecond: 1 / 60 });

/**
 * Updates the table statistics. An account that grows by batches is soon larger than PostgreSQL
 * estimates. Each lookup by addresses then reads the whole account, which takes 135 ms instead of 2
 * for 60,000 subscribers.
 */
export async function refreshAfterBatch(db: Db, accountId: number): Promise<void> {
  if (!mayRefresh('estimates', clock.now().getTime())) return;
  await isolateFailure('Could not analyze subscribers', { account: accountId }, () =>
    refreshEstimates(db, accountId),
  );
}
