// Events that billing publishes, and questions that higher areas answer.
import { defineEvent, defineQuestion } from '#platform/server/events.ts';

export type BillingEmailKind =
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

/** Requests an email to a member of the account. */
export const billingEmailNeeded = defineEvent<{
  accountId: number;
  kind: BillingEmailKind;
  /** Key that distinguishes this email from others. */
  occasion: string;
  values: Record<string, string>;
}>('billing.letter_needed');

/** Limits or suspension of the account changed: stopped work may continue, or must stop. */
export const planChanged = defineEvent<{ accountId: number; at: Date }>('billing.plan_changed');

export type UsageFigure = {
  of: 'subscribers' | 'people_emailed' | 'emails' | 'people_texted' | 'texts';
  count: number;
};

/**
 * emails: only these; limits: everything limited by plans, including subscribers; all: other
 * displayed figures too.
 */
export type UsageScope = 'emails' | 'limits' | 'all';

/** Usage of an account since an instant; each area answers for its own figures. */
export const usageQuestion = defineQuestion<
  {
    accountId: number;
    since: Date;
    what: UsageScope;
  },
  UsageFigure
>('billing.usage_asked');
