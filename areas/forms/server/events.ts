// Events of forms for higher areas.
import { defineEvent } from '#platform/server/events.ts';

/** Subscribers signed up by a form; with double opt-in they still have to confirm. */
export const formSubmitted = defineEvent<{
  accountId: number;
  formId: number;
  subscriberIds: readonly number[];
  isConfirmed: boolean;
  at: Date;
}>('forms.submitted');

/** Subscribers confirmed their sign-up: from now on automation may send to them. */
export const formConfirmed = defineEvent<{
  accountId: number;
  formId: number;
  subscriberIds: readonly number[];
  at: Date;
}>('forms.confirmed');
