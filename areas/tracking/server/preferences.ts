// Reads and applies a subscriber's preferences: channels, public groups, and a pause.
import { choosePublicGroups, publicGroupsOf } from '#areas/groups/server/index.ts';
import {
  pauseSubscriber,
  reactivate,
  readSubscribers,
  type SubscriberRow,
  unsubscribe,
} from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { TokenFacts } from './token.ts';

export const PAUSE_DAYS = 30;
const DAY_MS = 86_400_000;

export type ChannelChoice = {
  channel: 'email' | 'sms';
  isOn: boolean;
  /** Whether the subscriber reported spam, after which the channel cannot be turned on again. */
  isClosed: boolean;
};

export type Preferences = {
  channels: ChannelChoice[];
  groups: { id: number; title: string; is_member: boolean }[];
  pausedUntil: Date | null;
};

/** Reads the preferences; undefined for a deleted subscriber. */
export async function readPreferences(tx: Tx, facts: TokenFacts): Promise<Preferences | undefined> {
  const [person] = await readSubscribers(tx, facts.account, [facts.subscriber]);
  if (!person) return undefined;
  const { paused_until: until } = person;
  return {
    channels: channelsOf(person),
    groups: await publicGroupsOf(tx, facts.account, person.id),
    pausedUntil: until && until > clock.now() ? until : null,
  };
}

function channelsOf(person: SubscriberRow): ChannelChoice[] {
  const channels: ChannelChoice[] = [];
  if (person.email_key) {
    const status = person.email_status;
    const isOn = status === 'active' || status === 'non-subscribed';
    channels.push({ channel: 'email', isOn, isClosed: status === 'reported' });
  }
  // A first consent to SMS cannot be given here, so only current and former SMS subscribers see them.
  if (person.phone_key && person.sms_status !== 'non-subscribed') {
    const status = person.sms_status;
    channels.push({ channel: 'sms', isOn: status === 'active', isClosed: status === 'reported' });
  }
  return channels;
}

export type Choice = {
  channels: ReadonlySet<string>;
  groups: ReadonlySet<number>;
  isPaused: boolean;
};

/** Applies a choice; `wording` returns the displayed text of a channel, which is stored with a consent. */
export async function choosePreferences(
  tx: Tx,
  facts: TokenFacts,
  choice: Choice,
  act: { ip: string; wording(channel: 'email' | 'sms'): string },
): Promise<void> {
  const before = await readPreferences(tx, facts);
  if (!before) return;
  const people = { subscriberIds: [facts.subscriber] };
  for (const { channel, isOn, isClosed } of before.channels) {
    const isChosen = choice.channels.has(channel);
    if (isClosed || isChosen === isOn) continue;
    if (isChosen) {
      const consent = { source: 'preference_page', wording: act.wording(channel) };
      await reactivate(tx, facts.account, people, { channel, ip: act.ip, consent });
    } else {
      const reason = 'preferences';
      const how = { channel, reason, messageId: facts.message, ip: act.ip } as const;
      await unsubscribe(tx, facts.account, people, how);
    }
  }
  await choosePublicGroups(tx, facts.account, facts.subscriber, choice.groups);
  if (choice.isPaused !== (before.pausedUntil !== null)) {
    const until = choice.isPaused ? new Date(clock.now().getTime() + PAUSE_DAYS * DAY_MS) : null;
    await pauseSubscriber(tx, facts.account, facts.subscriber, until);
  }
}
