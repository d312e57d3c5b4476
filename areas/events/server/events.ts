// Internal events and questions about custom events for higher areas.
import type { Language } from '#platform/languages.ts';
import type { Cause } from '#platform/origins.ts';
import { defineEvent, defineQuestion } from '#platform/server/events.ts';

/** Occurrences of a custom event were recorded for these subscribers (at least one). */
export const customEventRecorded = defineEvent<
  { accountId: number; eventId: number; subscriberIds: number[] } & Cause
>('custom_event.recorded');

export const customEventDeleted = defineEvent<{ accountId: number; eventId: number }>(
  'custom_event.deleted',
);

/** The objects that use this event type; each answer is one of them. */
export const customEventUsedBy = defineQuestion<
  { accountId: number; eventId: number; language: Language },
  { kind: string; id: string; title: string }
>('custom_event.usedBy');
