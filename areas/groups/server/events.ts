// What groups announce upward, in the transaction that made it true.
import type { Language } from '#platform/languages.ts';
import type { Cause } from '#platform/origins.ts';
import { defineEvent, defineQuestion } from '#platform/server/events.ts';

type Facts = {
  accountId: number;
  groupId: number;
  /** Only those for whom it is new. Never empty. */
  subscriberIds: number[];
} & Cause;

/** A group is there that was not. */
export const groupCreated = defineEvent<{ accountId: number; groupId: number }>('group.created');
export const joinedGroup = defineEvent<Facts>('subscriber.joined_group');
export const leftGroup = defineEvent<Facts>('subscriber.left_group');
export const groupDeleted = defineEvent<{ accountId: number; groupId: number }>('group.deleted');

export type GroupUse = { kind: string; id: string; title: string };

/** What would break without this group: each answer names a thing that uses it. */
export const groupUsedBy = defineQuestion<
  // The language is the asker's: what has no title is named in it.
  { accountId: number; groupId: number; language: Language },
  GroupUse
>('group.usedBy');
