// What fields announce and ask upward.
import { defineEvent, defineQuestion } from '#platform/server/events.ts';

/** A field is gone: its values leave everybody (the subscribers' job). */
export const fieldDeleted = defineEvent<{ accountId: number; fieldId: number }>('field.deleted');

/** What would break without this field: each answer names a thing that uses it. */
export const fieldUsedBy = defineQuestion<
  { accountId: number; fieldId: number; name: string },
  { kind: string; id: string; title: string }
>('field.usedBy');
