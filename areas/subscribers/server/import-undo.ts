// Undo of an import: subscribers that it changed get their earlier values, except values that were
// changed after it. Opt-outs, bounces and complaints that it recorded remain, since they are facts.
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { Channel, SubscriptionStatus } from '../shared.ts';
import { statusesChanged, subscribersUpdated } from './events.ts';
import * as store from './import-undo.sql.ts';

/** Reasons why a value remains as imported. */
export type UnrestoredReason = 'gone' | 'changed_since' | 'status_stays' | 'phone_taken';

export interface RestoredSlice {
  /** Number of processed images; zero once all are done. */
  examined: number;
  restored: number[];
  kept: { id: number; reason: UnrestoredReason }[];
}

/** Restores the next slice of subscribers in the caller's transaction. */
export async function restoreImported(
  tx: Tx,
  accountId: number,
  importId: number,
  limit: number,
): Promise<RestoredSlice> {
  const images = await store.claimImages(tx, accountId, importId, limit);
  const slice: RestoredSlice = { examined: images.length, restored: [], kept: [] };
  if (images.length === 0) return slice;
  const at = clock.now();
  const people = new Map(
    (
      await store.lockPresent(
        tx,
        accountId,
        images.map((image) => image.subscriber_id),
      )
    ).map((person) => [person.id, person]),
  );
  const changed = await store.findChangedSince(tx, accountId, images);
  const restoredPhones = images.flatMap(({ before, after }) =>
    before.phone !== null && before.phone !== after.phone ? [before.phone] : [],
  );
  const phonesInUse = await store.findUsedPhones(tx, accountId, restoredPhones);
  const restored: store.RestoredPerson[] = [];
  const returns: RestoredStatus[] = [];
  for (const image of images) {
    const person = people.get(image.subscriber_id);
    if (person === undefined) {
      slice.kept.push({ id: image.subscriber_id, reason: 'gone' });
      continue;
    }
    const result = restore(person, image, changed, phonesInUse);
    for (const reason of result.kept) slice.kept.push({ id: person.id, reason });
    if (!result.isChanged) continue;
    slice.restored.push(person.id);
    restored.push(result.person);
    returns.push(...result.returns);
  }
  await store.writeRestored(tx, accountId, restored, at);
  await store.insertReturns(tx, accountId, returns, at);
  await announce(tx, accountId, restored, returns);
  return slice;
}

type RestoredStatus = {
  id: number;
  channel: Channel;
  from: SubscriptionStatus;
  to: SubscriptionStatus;
};

/**
 * The restoration of one subscriber. `restoreIf` restores a value if it is unchanged since the
 * import, and otherwise reports it.
 */
type Restoration = store.Image & {
  person: store.PresentPerson;
  next: store.RestoredPerson;
  reasons: Set<UnrestoredReason>;
  returns: RestoredStatus[];
  restoreIf: (isUnchanged: boolean, apply: () => void) => void;
};

/** Restores one subscriber value by value. */
function restore(
  person: store.PresentPerson,
  image: store.Image,
  changed: ReadonlySet<string>,
  phonesInUse: ReadonlySet<string>,
) {
  const next: store.RestoredPerson = { ...person, losesEmail: false };
  const reasons = new Set<UnrestoredReason>();
  const returns: RestoredStatus[] = [];
  let isChanged = false;
  const restoreIf = (isUnchanged: boolean, apply: () => void) => {
    if (!isUnchanged) reasons.add('changed_since');
    else {
      apply();
      isChanged = true;
    }
  };
  const restoration: Restoration = { ...image, person, next, reasons, returns, restoreIf };
  restoreNames(restoration);
  restorePhone(restoration, phonesInUse);
  restoreFields(restoration);
  for (const channel of ['email', 'sms'] as const) restoreStatus(restoration, channel, changed);
  restoreWithoutEmail(restoration);
  return { person: next, kept: reasons, returns, isChanged };
}

function restoreNames({ person, before, after, next, restoreIf }: Restoration): void {
  for (const name of ['firstname', 'lastname'] as const) {
    if (before[name] === after[name]) continue;
    restoreIf(person[name] === after[name], () => {
      next[name] = before[name];
    });
  }
}

function restorePhone(
  { person, before, after, next, reasons, restoreIf }: Restoration,
  phonesInUse: ReadonlySet<string>,
): void {
  if (before.phone === after.phone) return;
  if (before.phone !== null && phonesInUse.has(before.phone)) reasons.add('phone_taken');
  // The phone number is now the subscriber's only address.
  else if (before.phone === null && person.email_key === null) reasons.add('changed_since');
  else
    restoreIf(person.phone_key === after.phone, () => {
      next.phone_key = before.phone;
      if (before.tsms_status && person.tsms_status === after.tsms_status)
        next.tsms_status = before.tsms_status;
    });
}

function restoreFields({ person, before, after, next, restoreIf }: Restoration): void {
  next.field_values = { ...person.field_values };
  for (const [id, value] of Object.entries(after.values)) {
    if (before.values[id] === value) continue;
    restoreIf(person.field_values[id] === value, () => {
      if (before.values[id] === undefined) delete next.field_values[id];
      else next.field_values[id] = before.values[id];
    });
  }
}

function restoreStatus(
  { person, before, after, next, reasons, returns, restoreIf }: Restoration,
  channel: 'email' | 'sms',
  changed: ReadonlySet<string>,
): void {
  const name = `${channel}_status` as const;
  if (before[name] === after[name]) return;
  const isPhoneBack = before.phone !== after.phone && next.phone_key === before.phone;
  // Consent for the earlier number is restored with it.
  const isOfNumber =
    channel === 'sms' && isPhoneBack && ['non-subscribed', 'bounced'].includes(after.sms_status);
  if (after[name] !== 'active' && !isOfNumber) {
    reasons.add('status_stays');
    return;
  }
  const isUnchanged = person[name] === after[name] && !changed.has(`${person.id} ${channel}`);
  restoreIf(isUnchanged, () => {
    next[name] = before[name];
    returns.push({ id: person.id, channel, from: after[name], to: before[name] });
  });
}

/** Removes an email address that the import added, unless the import also closed it. */
function restoreWithoutEmail({ person, before, after, next, restoreIf }: Restoration): void {
  if (before.email !== null || after.email === undefined) return;
  if (before.email_status !== after.email_status && after.email_status !== 'active') return;
  const isUnchanged =
    person.email_key === after.email &&
    next.phone_key !== null &&
    next.email_status === before.email_status;
  restoreIf(isUnchanged, () => {
    next.losesEmail = true;
    next.temail_status = before.temail_status;
  });
}

async function announce(
  tx: Tx,
  accountId: number,
  written: readonly store.RestoredPerson[],
  returns: readonly RestoredStatus[],
): Promise<void> {
  if (written.length > 0) {
    const fieldIds = new Set(
      written.flatMap((restored) => Object.keys(restored.field_values).map(Number)),
    );
    await subscribersUpdated.announce(tx, {
      accountId,
      subscriberIds: written.map((restored) => restored.id),
      fieldIds: [...fieldIds],
      origin: 'undo',
    });
  }
  for (const channel of ['email', 'sms'] as const) {
    const ofChannel = returns.filter((returned) => returned.channel === channel);
    for (const [to, group] of Map.groupBy(ofChannel, (returned) => returned.to))
      await statusesChanged.announce(tx, {
        accountId,
        subscriberIds: group.map(({ id }) => id),
        channel,
        to,
        reason: 'import_undone',
      });
  }
}
