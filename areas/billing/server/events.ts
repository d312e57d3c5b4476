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

/** Requests an email to the account's owner. */
export const billingEmailNeeded = defineEvent<{
  accountId: number;
  kind: BillingEmailKind;
  /** Key that identifies this email so that a repeat is not sent. */
  occasion: string;
  values: Record<string, string>;
}>('billing.letter_needed');

/**
 * The limits or the suspension of an account changed, so stopped work may continue or running work
 * must stop.
 */
export const planChanged = defineEvent<{ accountId: number; at: Date }>('billing.plan_changed');

export type UsageFigure = {
  kind: 'subscribers' | 'people_emailed' | 'emails' | 'people_texted' | 'texts';
  count: number;
};

/**
 * `emails`: emails only; `limits`: everything that plans limit, including subscribers; `all`: also
 * other displayed counts.
 */
export type UsageScope = 'emails' | 'limits' | 'all';

/**
 * Collects the usage of an account: messages since an instant, and the current number of
 * subscribers. Each area returns its own counts.
 */
export const usageQuestion = defineQuestion<
  {
    accountId: number;
    since: Date;
    scope: UsageScope;
  },
  UsageFigure
>('billing.usage_asked');
