// Events of groups, published in the transaction of the change.
import type { Language } from '#platform/languages.ts';
import type { Cause } from '#platform/origins.ts';
import { defineEvent, defineQuestion } from '#platform/server/events.ts';

type MembershipFacts = {
  accountId: number;
  groupId: number;
  /** The subscribers who joined or left; never empty. */
  subscriberIds: number[];
} & Cause;

/** A group was created. */
export const groupCreated = defineEvent<{ accountId: number; groupId: number }>('group.created');
export const joinedGroup = defineEvent<MembershipFacts>('subscriber.joined_group');
export const leftGroup = defineEvent<MembershipFacts>('subscriber.left_group');
export const groupDeleted = defineEvent<{ accountId: number; groupId: number }>('group.deleted');

export type GroupUse = { kind: string; id: string; title: string };

/** The uses of a group that prevent its deletion. */
export const groupUsedBy = defineQuestion<
  // The caller's language, for uses without a title.
  { accountId: number; groupId: number; language: Language },
  GroupUse
>('group.usedBy');
