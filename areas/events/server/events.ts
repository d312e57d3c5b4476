// What custom events announce upward, in the transaction that made it true.
import type { Language } from '#platform/languages.ts';
import type { Cause } from '#platform/origins.ts';
import { defineEvent, defineQuestion } from '#platform/server/events.ts';

/** A custom event happened to these people. Never empty. */
export const customEventRecorded = defineEvent<
  { accountId: number; eventId: number; subscriberIds: number[] } & Cause
>('custom_event.recorded');

export const customEventDeleted = defineEvent<{ accountId: number; eventId: number }>(
  'custom_event.deleted',
);

/** What would break without this kind of event: each answer names a thing that uses it. */
export const customEventUsedBy = defineQuestion<
  { accountId: number; eventId: number; language: Language },
  { kind: string; id: string; title: string }
>('custom_event.usedBy');
