// Events that fields publish, and questions that higher areas answer.
import type { Language } from '#platform/languages.ts';
import { defineEvent, defineQuestion } from '#platform/server/events.ts';

/** A field was deleted: a job of subscribers deletes its values. */
export const fieldDeleted = defineEvent<{ accountId: number; fieldId: number }>('field.deleted');

/** Objects that depend on this field; each answer names one. */
export const fieldUsedBy = defineQuestion<
  // The caller's language, for objects without a title.
  { accountId: number; fieldId: number; name: string; language: Language },
  { kind: string; id: string; title: string }
>('field.usedBy');
