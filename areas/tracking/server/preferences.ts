// Reads and applies a subscriber's preferences: channels, public groups, and a pause.
import { choosePublicGroups, listPublicGroups } from '#areas/groups/server/index.ts';
import {
  pauseSubscriber,
  reactivate,
  readSubscribers,
  type SubscriberRow,
  unsubscribe,
} from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { TokenPayload } from './token.ts';

export const PAUSE_DAYS = 30;
const DAY_MS = 86_400_000;

export type ChannelChoice = {
  channel: 'email' | 'sms';
  isOn: boolean;
  /** Whether the subscriber reported spam; if so, the channel cannot be turned on again. */
  isClosed: boolean;
};

export type Preferences = {
  channels: ChannelChoice[];
  groups: { id: number; title: string; is_member: boolean }[];
  pausedUntil: Date | null;
};

/** Reads the preferences; undefined for a deleted subscriber. */
export async function readPreferences(
  tx: Tx,
  payload: TokenPayload,
): Promise<Preferences | undefined> {
  const [subscriber] = await readSubscribers(tx, payload.account, [payload.subscriber]);
  if (!subscriber) return undefined;
  const { paused_until: pausedUntil } = subscriber;
  return {
    channels: channelsOf(subscriber),
    groups: await listPublicGroups(tx, payload.account, subscriber.id),
    pausedUntil: pausedUntil && pausedUntil > clock.now() ? pausedUntil : null,
  };
}

function channelsOf(subscriber: SubscriberRow): ChannelChoice[] {
  const channels: ChannelChoice[] = [];
  if (subscriber.email_key) {
    const status = subscriber.email_status;
    const isOn = status === 'active' || status === 'non-subscribed';
    channels.push({ channel: 'email', isOn, isClosed: status === 'reported' });
  }
  // A first consent to SMS cannot be given here, so only current and former SMS subscribers see the
  // channel.
  if (subscriber.phone_key && subscriber.sms_status !== 'non-subscribed') {
    const status = subscriber.sms_status;
    channels.push({ channel: 'sms', isOn: status === 'active', isClosed: status === 'reported' });
  }
  return channels;
}

export type PreferenceChoice = {
  channels: ReadonlySet<string>;
  groups: ReadonlySet<number>;
  isPaused: boolean;
};

/**
 * Applies a choice; `wording` returns the displayed text of a channel, which is stored with a
 * consent.
 */
export async function choosePreferences(
  tx: Tx,
  payload: TokenPayload,
  choice: PreferenceChoice,
  request: { ip: string; wording(channel: 'email' | 'sms'): string },
): Promise<void> {
  const preferences = await readPreferences(tx, payload);
  if (!preferences) return;
  const target = { subscriberIds: [payload.subscriber] };
  for (const { channel, isOn, isClosed } of preferences.channels) {
    const isChosen = choice.channels.has(channel);
    if (isClosed || isChosen === isOn) continue;
    if (isChosen) {
      const consent = { source: 'preference_page', wording: request.wording(channel) };
      await reactivate(tx, payload.account, target, { channel, ip: request.ip, consent });
    } else {
      const reason = 'preferences';
      const change = { channel, reason, messageId: payload.message, ip: request.ip } as const;
      await unsubscribe(tx, payload.account, target, change);
    }
  }
  await choosePublicGroups(tx, payload.account, payload.subscriber, choice.groups);
  if (choice.isPaused !== (preferences.pausedUntil !== null)) {
    const pausedUntil = choice.isPaused
      ? new Date(clock.now().getTime() + PAUSE_DAYS * DAY_MS)
      : null;
    await pauseSubscriber(tx, payload.account, payload.subscriber, pausedUntil);
  }
}
