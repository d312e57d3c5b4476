// What billing announces upward, and what it asks of higher floors.
import { defineEvent, defineQuestion } from '#platform/server/events.ts';

export type BillingLetterKind =
  | 'receipt'
  | 'renewalSoon'
  | 'renewalByHand'
  | 'planEnding'
  | 'renewalFailed'
  | 'renewalLast'
  | 'renewalUnpaid'
  | 'renewalAction'
  | 'planEnded'
  | 'limitNear'
  | 'refunded'
  | 'disputed';

/** Somebody of the account must be told by a letter. */
export const billingLetterNeeded = defineEvent<{
  accountId: number;
  kind: BillingLetterKind;
  /** What makes it a letter of its own. */
  occasion: string;
  values: Record<string, string>;
}>('billing.letter_needed');

/** The account's limits or its suspension changed: what was stopped by them may go on, or must stop. */
export const planChanged = defineEvent<{ accountId: number; at: Date }>('billing.plan_changed');

export type UsageFigure = {
  of: 'subscribers' | 'people_emailed' | 'emails' | 'people_texted' | 'texts';
  count: number;
};

/** emails: those alone; limits: what plans limit, subscribers too; all: what is shown besides. */
export type UsageAsked = 'emails' | 'limits' | 'all';

/** What an account has used since an instant; each area answers the figures that it counts. */
export const usageAsked = defineQuestion<
  {
    accountId: number;
    since: Date;
    what: UsageAsked;
  },
  UsageFigure
>('billing.usage_asked');
