// Undo of an import: subscribers that it changed get their earlier values, except values that were
// changed later. Opt-outs, bounces and complaints that it recorded remain because they did happen.
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
  unrestored: { id: number; reason: UnrestoredReason }[];
}

/** Restores the next slice of subscribers in the caller's transaction. */
export async function restoreImported(
  tx: Tx,
  accountId: number,
  importId: number,
  limit: number,
): Promise<RestoredSlice> {
  const images = await store.claimImages(tx, accountId, importId, limit);
  const slice: RestoredSlice = { examined: images.length, restored: [], unrestored: [] };
  if (images.length === 0) return slice;
  const at = clock.now();
  const subscribers = new Map(
    (
      await store.lockExistingSubscribers(
        tx,
        accountId,
        images.map((image) => image.subscriber_id),
      )
    ).map((subscriber) => [subscriber.id, subscriber]),
  );
  const changedKeys = await store.findChangedSince(tx, accountId, images);
  const restoredPhones = images.flatMap(({ before, after }) =>
    before.phone !== null && before.phone !== after.phone ? [before.phone] : [],
  );
  const phonesInUse = await store.findUsedPhones(tx, accountId, restoredPhones);
  const restoredRows: store.RestoredSubscriber[] = [];
  const returns: RestoredStatus[] = [];
  for (const image of images) {
    const subscriber = subscribers.get(image.subscriber_id);
    if (subscriber === undefined) {
      slice.unrestored.push({ id: image.subscriber_id, reason: 'gone' });
      continue;
    }
    const result = restore(subscriber, image, changedKeys, phonesInUse);
    for (const reason of result.reasons) slice.unrestored.push({ id: subscriber.id, reason });
    if (!result.isChanged) continue;
    slice.restored.push(subscriber.id);
    restoredRows.push(result.subscriber);
    returns.push(...result.returns);
  }
  await store.writeRestored(tx, accountId, restoredRows, at);
  await store.insertReturns(tx, accountId, returns, at);
  await announce(tx, accountId, restoredRows, returns);
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
type Restoration = store.SubscriberImage & {
  subscriber: store.PresentSubscriber;
  next: store.RestoredSubscriber;
  reasons: Set<UnrestoredReason>;
  returns: RestoredStatus[];
  restoreIf: (isUnchanged: boolean, apply: () => void) => void;
};

/** Restores one subscriber value by value. */
function restore(
  subscriber: store.PresentSubscriber,
  image: store.SubscriberImage,
  changedKeys: ReadonlySet<string>,
  phonesInUse: ReadonlySet<string>,
) {
  const next: store.RestoredSubscriber = { ...subscriber, losesEmail: false };
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
  const restoration: Restoration = { ...image, subscriber, next, reasons, returns, restoreIf };
  restoreNames(restoration);
  restorePhone(restoration, phonesInUse);
  restoreFields(restoration);
  for (const channel of ['email', 'sms'] as const) restoreStatus(restoration, channel, changedKeys);
  restoreWithoutEmail(restoration);
  return { subscriber: next, reasons, returns, isChanged };
}

function restoreNames({ subscriber, before, after, next, restoreIf }: Restoration): void {
  for (const name of ['firstname', 'lastname'] as const) {
    if (before[name] === after[name]) continue;
    restoreIf(subscriber[name] === after[name], () => {
      next[name] = before[name];
    });
  }
}

function restorePhone(
  { subscriber, before, after, next, reasons, restoreIf }: Restoration,
  phonesInUse: ReadonlySet<string>,
): void {
  if (before.phone === after.phone) return;
  if (before.phone !== null && phonesInUse.has(before.phone)) reasons.add('phone_taken');
  // The phone number is now the subscriber's only address.
  else if (before.phone === null && subscriber.email_key === null) reasons.add('changed_since');
  else
    restoreIf(subscriber.phone_key === after.phone, () => {
      next.phone_key = before.phone;
      if (before.tsms_status && subscriber.tsms_status === after.tsms_status)
        next.tsms_status = before.tsms_status;
    });
}

function restoreFields({ subscriber, before, after, next, restoreIf }: Restoration): void {
  next.field_values = { ...subscriber.field_values };
  for (const [id, value] of Object.entries(after.values)) {
    if (before.values[id] === value) continue;
    restoreIf(subscriber.field_values[id] === value, () => {
      if (before.values[id] === undefined) delete next.field_values[id];
      else next.field_values[id] = before.values[id];
    });
  }
}

function restoreStatus(
  { subscriber, before, after, next, reasons, returns, restoreIf }: Restoration,
  channel: 'email' | 'sms',
  changedKeys: ReadonlySet<string>,
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
  const isUnchanged =
    subscriber[name] === after[name] && !changedKeys.has(`${subscriber.id} ${channel}`);
  restoreIf(isUnchanged, () => {
    next[name] = before[name];
    returns.push({ id: subscriber.id, channel, from: after[name], to: before[name] });
  });
}

/**
 * Removes an email address that the import added, unless the import also recorded an opt-out,
 * bounce or complaint for it.
 */
function restoreWithoutEmail({ subscriber, before, after, next, restoreIf }: Restoration): void {
  if (before.email !== null || after.email === undefined) return;
  if (before.email_status !== after.email_status && after.email_status !== 'active') return;
  const isUnchanged =
    subscriber.email_key === after.email &&
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
  restoredRows: readonly store.RestoredSubscriber[],
  returns: readonly RestoredStatus[],
): Promise<void> {
  if (restoredRows.length > 0) {
    const fieldIds = new Set(
      restoredRows.flatMap((row) => Object.keys(row.field_values).map(Number)),
    );
    await subscribersUpdated.announce(tx, {
      accountId,
      subscriberIds: restoredRows.map((row) => row.id),
      fieldIds: [...fieldIds],
      origin: 'undo',
    });
  }
  for (const channel of ['email', 'sms'] as const) {
    const ofChannel = returns.filter((change) => change.channel === channel);
    for (const [to, group] of Map.groupBy(ofChannel, (change) => change.to))
      await statusesChanged.announce(tx, {
        accountId,
        subscriberIds: group.map(({ id }) => id),
        channel,
        to,
        reason: 'import_undone',
      });
  }
}
