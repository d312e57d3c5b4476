// Internal events about custom events, published for higher areas in the transaction of the change.
import type { Language } from '#platform/languages.ts';
import type { Cause } from '#platform/origins.ts';
import { defineEvent, defineQuestion } from '#platform/server/events.ts';

/** A custom event of these subscribers. Never empty. */
export const customEventRecorded = defineEvent<
  { accountId: number; eventId: number; subscriberIds: number[] } & Cause
>('custom_event.recorded');

export const customEventDeleted = defineEvent<{ accountId: number; eventId: number }>(
  'custom_event.deleted',
);

/** Objects that depend on this event type; each answer names one. */
export const customEventUsedBy = defineQuestion<
  { accountId: number; eventId: number; language: Language },
  { kind: string; id: string; title: string }
>('custom_event.usedBy');
