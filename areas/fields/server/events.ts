// What fields announce and ask upward.
import type { Language } from '#platform/languages.ts';
import { defineEvent, defineQuestion } from '#platform/server/events.ts';

/** A field is gone: its values leave everybody (the subscribers' job). */
export const fieldDeleted = defineEvent<{ accountId: number; fieldId: number }>('field.deleted');

/** What would break without this field: each answer names a thing that uses it. */
export const fieldUsedBy = defineQuestion<
  // The language is the asker's: what has no title is named in it.
  { accountId: number; fieldId: number; name: string; language: Language },
  { kind: string; id: string; title: string }
>('field.usedBy');
