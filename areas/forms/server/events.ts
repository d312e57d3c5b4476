// What forms announce upward.
import { defineEvent } from '#platform/server/events.ts';

/** People signed up by a form; with double opt-in they have still to confirm. */
export const formSubmitted = defineEvent<{
  accountId: number;
  formId: number;
  subscriberIds: readonly number[];
  isConfirmed: boolean;
  at: Date;
}>('forms.submitted');

/** Somebody confirmed: from here on automation may write to them. */
export const formConfirmed = defineEvent<{
  accountId: number;
  formId: number;
  subscriberIds: readonly number[];
  at: Date;
}>('forms.confirmed');
