// Saves the rows of a batch in sets. A row is left to `upsertPerson`, which saves or refuses it alone,
// if it has no email address, repeats an address of an earlier row, requests another status than
// active, or has an error.

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
import { newThrottle } from '#platform/server/limits/throttle.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import { clearCounts } from './list.ts';
import { readCause, ownFieldsOf, type Statuses, type PublicFields } from './public-people.ts';

type Row = PublicFields & { email?: string | undefined };
type Candidate = {
  index: number;
  body: Row;
  person: ListedSubscriber;
  custom: Record<string, unknown>;
};
type SavedPerson = { id: number; isNew: boolean; notes: string[] };

/** Saves rows in sets; returns them by index. Rows that cannot be saved in a set are absent. */
export async function upsertPeople(
  tx: Tx,
  caller: Actor,
  rows: ReadonlyMap<number, { body: Row; statuses: Statuses }>,
): Promise<Map<number, SavedPerson>> {
  const saved = new Map<number, SavedPerson>();
  const candidates = await withValues(
    tx,
    caller,
    await inOwnGroups(tx, caller, candidatesOf(rows)),
  );
  const byCause = Map.groupBy(candidates, ({ body }) => body.trigger_automation);
  for (const alike of byCause.values()) {
    const { body } = alike[0] as Candidate;
    const found = await upsertSubscribers(
      tx,
      caller.accountId,
      alike.map(({ person }) => person),
      { source: 'api', cause: readCause(body), consent: attested(caller, 'email') },
    );
    const savedRows = alike.flatMap((candidate) => {
      const result = found.get(candidate.person.emailKey);
      return result ? [{ ...candidate, ...result }] : [];
    });
    await joinGroups(tx, caller, savedRows);
    const opened = await openSms(tx, caller, savedRows);
    for (const { index, id, isNew } of savedRows)
      saved.set(index, { id, isNew, notes: opened.has(id) ? ['Subscribed to sms'] : [] });
  }
  if (saved.size > 0) afterCommit(() => clearCounts(caller.accountId));
  return saved;
}

const attested = ({ userId }: Actor, channel: Channel) =>
  ({ channel, kind: 'attested', source: 'api', userId }) as const;

/**
 * Rows with a valid email address that request no status but active, and whose addresses occur in
 * no earlier row.
 */
function candidatesOf(rows: ReadonlyMap<number, { body: Row; statuses: Statuses }>): Candidate[] {
  const seen = new Set<string>();
  const candidates: Candidate[] = [];
  for (const [index, { body, statuses }] of rows) {
    const { own, custom } = ownFieldsOf(body.fields ?? {});
    const { firstname = own.firstname, lastname = own.lastname, phone = own.phone } = body;
    const email = body.email ? parseEmail(body.email) : undefined;
    const number = phone ? parsePhone(phone) : undefined;
    const keys = [
      ...(typeof email === 'object' ? [email.key] : []),
      ...(typeof number === 'object' ? [number.phone] : []),
    ];
    const isRepeated = keys.some((key) => seen.has(key));
    for (const key of keys) seen.add(key);
    if (isRepeated || typeof email !== 'object' || typeof number === 'string') continue;
    const active = activeChannels(statuses, number !== undefined);
    if (!active) continue;
    const names = { firstname, lastname, phone: number?.phone ?? null, fieldValues: {} };
    const person = { email: email.email, emailKey: email.key, ...names, active };
    candidates.push({ index, body, person, custom });
  }
  return candidates;
}

/** The channels that a row activates; undefined if it requests another status. */
function activeChannels(statuses: Statuses, hasPhone: boolean): Channel[] | undefined {
  const requested = Object.entries(statuses).filter(([, status]) => status !== undefined);
  if (requested.some(([, status]) => status !== 'ACTIVE')) return undefined;
  const channels = new Set<Channel>(['email', ...requested.map(([channel]) => channel as Channel)]);
  const needsPhone = channels.has('sms') || channels.has('tsms');
  return needsPhone && !hasPhone ? undefined : [...channels];
}

async function inOwnGroups(
  tx: Tx,
  { accountId }: Actor,
  candidates: readonly Candidate[],
): Promise<Candidate[]> {
  const ids = [...new Set(candidates.flatMap(({ body }) => body.groups ?? []))];
  if (ids.length === 0) return [...candidates];
  const known = await readGroupTitles(tx, accountId, ids);
  return candidates.filter(({ body }) => (body.groups ?? []).every((id) => known.has(id)));
}

/** Adds the values of custom fields; rows with unknown fields or invalid values are omitted. */
async function withValues(
  tx: Tx,
  { accountId }: Actor,
  candidates: readonly Candidate[],
): Promise<Candidate[]> {
  const { values } = await parseFieldValues(
    tx,
    accountId,
    candidates.map(({ custom }) => custom),
  );
  return candidates.flatMap((candidate, place) => {
    const fieldValues = values[place] ?? {};
    const isWhole = Object.keys(fieldValues).length === Object.keys(candidate.custom).length;
    return isWhole ? [{ ...candidate, person: { ...candidate.person, fieldValues } }] : [];
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
  for (const alike of byGroups.values()) {
    const { body } = alike[0] as SavedRow;
    await addToGroups(tx, accountId, {
      groupIds: body.groups ?? [],
      subscriberIds: alike.map(({ id }) => id),
      ...readCause(body),
    });
  }
}

/**
 * Activates SMS for the new subscribers whose rows request it, and returns their ids. Existing
 * subscribers were active before.
 */
async function openSms(
  tx: Tx,
  caller: Actor,
  savedRows: readonly SavedRow[],
): Promise<Set<number>> {
  const { accountId, userId } = caller;
  const opening = savedRows.filter(({ isNew, person }) => isNew && person.active.includes('sms'));
  const subscriberIds = opening.map(({ id }) => id);
  if (subscriberIds.length === 0) return new Set();
  await activateByApi(tx, accountId, { subscriberIds }, { channel: 'sms', userId });
  const consent = { ...attested(caller, 'sms'), at: clock.now() };
  await insertConsents(tx, accountId, subscriberIds, consent);
  return new Set(subscriberIds);
}

/** Limits updates per process, since updating the statistics of a large table takes seconds. */
const mayRefresh = newThrottle({ capacity: 3, perSecond: 1 / 60 });

/**
 * An account that grows by batches is soon larger than PostgreSQL estimates: then each lookup by
 * addresses reads the whole account (60,000 subscribers: 135 ms instead of 2).
 */
export async function refreshAfterBatch(db: Db, accountId: number): Promise<void> {
  if (!mayRefresh('estimates', clock.now().getTime())) return;
  await isolateFailure('Could not analyze subscribers', { account: accountId }, () =>
    refreshEstimates(db, accountId),
  );
}
