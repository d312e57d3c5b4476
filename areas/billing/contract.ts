// Billing: plans, orders and payments, invoices, SMS credit.
import { z } from 'zod';
import {
  SuccessResponse,
  dataResponse,
  defineCalls,
  Id,
  Instant,
  idOf,
  line,
  listResponse,
  listQuery,
  text,
} from '#platform/contract.ts';
import {
  MAX_COUPON,
  MIN_CREDIT,
  MAX_CREDIT,
  CURRENCIES,
  DEFAULT_CURRENCY,
  DEFAULT_DURATION,
  FEATURES,
  ORDER_STATES,
  MAX_VAT,
} from './shared.ts';

const CurrencyCode = z.enum(CURRENCIES);
const DurationMonths = z.union([z.literal(1), z.literal(12)]);

/** Usage and its limit; null: unlimited. */
const UsageQuota = z.object({ used: z.number(), limit: z.number().nullable() });

export const PlanCard = z.object({
  id: z.string(),
  title: z.string(),
  features: z.array(z.enum(FEATURES)),
  /** Emails per month and subscriber; null: unlimited. */
  emails_per_subscriber: z.number().nullable(),
  sizes: z.array(
    z.object({
      subscribers: z.number(),
      emails: z.number().nullable(),
      /** Prices per month and per year, in minor units before tax. */
      monthly: z.object({ usd: z.number(), eur: z.number() }),
      annual: z.object({ usd: z.number(), eur: z.number() }),
    }),
  ),
});
export type PlanCard = z.infer<typeof PlanCard>;

const CurrentPlan = z.object({
  /** Key of the plan; null: the free plan, or no billing. */
  plan_id: z.string().nullable(),
  title: z.string(),
  state: z.enum(['active', 'past_due', 'free', 'unlimited']),
  size: z.number().nullable(),
  duration: DurationMonths.nullable(),
  currency: CurrencyCode.nullable(),
  valid_to: Instant.nullable(),
  /** The change that the owner chose for the end of the period. */
  next: z
    .object({ plan_id: z.string().nullable(), title: z.string(), size: z.number().nullable() })
    .nullable(),
  features: z.array(z.enum(FEATURES)),
  /** Unpaid renewal order: paying it continues the plan. */
  renewal_order: Id.nullable(),
});
export type CurrentPlan = z.infer<typeof CurrentPlan>;

export const Billing = z.object({
  /** If false, only usage is shown, and nothing can be bought. */
  is_on: z.boolean(),
  /** Whether the gateway is the built-in test gateway, which moves no money. */
  is_test: z.boolean(),
  /** Whether limits stop campaigns; otherwise they are only shown. */
  is_enforced: z.boolean(),
  plan: CurrentPlan,
  /** Currency of the current plan or SMS credit; null: free choice. */
  currency: CurrencyCode.nullable(),
  month: z.object({ from: Instant, to: Instant }),
  usage: z.object({
    subscribers: UsageQuota,
    people_emailed: UsageQuota,
    emails: UsageQuota,
    people_texted: UsageQuota,
    texts: UsageQuota,
  }),
  /** Millionths of the credit's currency; null: SMS are free of charge here. */
  sms_credit: z
    .object({ balance: z.number(), held: z.number(), currency: CurrencyCode })
    .nullable(),
  is_suspended: z.boolean(),
});
export type Billing = z.infer<typeof Billing>;

export const OrderLine = z.object({
  kind: z.enum(['plan', 'unused', 'coupon', 'sms_credit']),
  title: z.string(),
  size: z.number().nullable(),
  months: z.number().nullable(),
  net: z.number(),
  tax: z.number(),
});

export const BillingOrder = z.object({
  id: Id,
  /** Equals `id`. */
  order_id: Id,
  kind: z.enum(['plan', 'sms_credit']),
  state: z.enum(ORDER_STATES),
  /** Reason of the last failed payment. */
  failure: z.string().nullable(),
  plan_id: z.string().nullable(),
  size: z.number().nullable(),
  duration: DurationMonths.nullable(),
  currency: CurrencyCode,
  premium: z.boolean(),
  coupon_name: z.string().nullable(),
  lines: z.array(OrderLine),
  net: z.number(),
  tax: z.number(),
  tax_name: z.string().nullable(),
  tax_percent: z.number(),
  /** The buyer accounts for the tax (reverse charge). */
  is_reverse_charge: z.boolean(),
  total: z.number(),
  valid_from: Instant.nullable(),
  valid_to: Instant.nullable(),
  created: Instant,
  paid: Instant.nullable(),
  /** Number of the invoice, once paid. */
  invoice: z.string().nullable(),
});
export type BillingOrder = z.infer<typeof BillingOrder>;

export const OrderPayment = z.object({
  order: BillingOrder,
  /** `processing`: the result is not known yet; the client polls it. */
  is: z.enum(['paid', 'declined', 'action_needed', 'processing']),
  code: z.string().nullable(),
  action: z.record(z.string(), z.string()).nullable(),
});
export type OrderPayment = z.infer<typeof OrderPayment>;

export const PaymentMethod = z.object({
  id: Id,
  brand: z.string(),
  last4: z.string(),
  exp_month: z.number(),
  exp_year: z.number(),
  is_default: z.boolean(),
  is_expired: z.boolean(),
  created: Instant,
});
export type PaymentMethod = z.infer<typeof PaymentMethod>;

export const Invoice = z.object({
  id: Id,
  number: z.string(),
  kind: z.enum(['invoice', 'credit_note']),
  order_id: Id,
  total: z.number(),
  currency: CurrencyCode,
  issued: Instant,
});
export type Invoice = z.infer<typeof Invoice>;

export const UsageEntry = z.object({
  kind: z.enum(['allowance', 'reset', 'campaign']),
  emails: z.number(),
  label: z.string(),
  at: Instant,
});
export type UsageEntry = z.infer<typeof UsageEntry>;

const orderId = z.object({ id: idOf('order') });
const planChoice = {
  plan_id: z.string().max(32),
  size: z.number().int().min(1).max(100_000_000),
  duration: DurationMonths.default(DEFAULT_DURATION),
  currency: CurrencyCode.default(DEFAULT_CURRENCY),
  coupon_name: line(MAX_COUPON).optional(),
};
const BILLING_OFF = { billing_off: 409 } as const;
const COUPON = {
  coupon_unknown: 422,
  coupon_over: 422,
  coupon_not_yet: 422,
  coupon_used: 422,
  coupon_other_plan: 422,
  plan_unknown: 422,
  size_unknown: 422,
  currency_fixed: 422,
} as const;

export const calls = defineCalls({
  readBilling: {
    method: 'GET',
    path: '/client-api/api/billing',
    caller: 'account',
    summary: 'Get the plan, usage and SMS credit',
    response: dataResponse(Billing),
  },
  listPlans: {
    method: 'GET',
    path: '/client-api/api/billing/plans',
    caller: 'account',
    summary: 'List plans and SMS prices',
    response: dataResponse(
      z.object({
        free: z.object({
          title: z.string(),
          subscribers: z.number().nullable(),
          emails: z.number().nullable(),
          features: z.array(z.enum(FEATURES)),
        }),
        plans: z.array(PlanCard),
        /** Price of one SMS part by country, in millionths of a currency unit. */
        sms_prices: z.record(z.string(), z.number()),
      }),
    ),
  },
  listEmailUsage: {
    method: 'GET',
    path: '/client-api/api/billing/email-usage',
    caller: 'account',
    summary: 'List changes of the monthly email allowance',
    description: 'Lists allowances, new months and campaigns.',
    query: listQuery({ sorts: ['created'], order: 'created', direction: 'desc' }),
    response: listResponse(UsageEntry),
  },
  changeNextPlan: {
    method: 'PUT',
    path: '/client-api/api/billing/next',
    caller: 'account',
    requiredRight: 'billing',
    audit: ['plan_id', 'size', 'duration'],
    isPersonal: true,
    summary: 'Set the plan for the next period',
    description:
      'The next plan is the free plan, a plan below the current one, or the current plan with at most its current size. The duration may change.',
    body: z.strictObject({
      /** null means the free plan. */
      plan_id: z.string().max(32).nullable(),
      size: z.number().int().min(1).max(100_000_000).optional(),
      duration: DurationMonths.optional(),
    }),
    response: dataResponse(CurrentPlan),
    errors: {
      ...BILLING_OFF,
      plan_unknown: 422,
      size_unknown: 422,
      no_plan: 409,
      not_smaller: 422,
    },
  },
  saveVatNumber: {
    method: 'PUT',
    path: '/client-api/api/billing/vat',
    caller: 'account',
    requiredRight: 'billing',
    isPersonal: true,
    summary: 'Set the VAT number',
    description:
      'A business with a valid number of its EU country is not charged VAT if the seller is in another EU country.',
    body: z.strictObject({ vat_number: line(MAX_VAT) }),
    response: dataResponse(z.object({ vat_number: z.string().nullable(), is_valid: z.boolean() })),
    errors: { ...BILLING_OFF, vat_malformed: 422 },
  },
  createOrder: {
    method: 'POST',
    path: '/client-api/api/orders',
    caller: 'account',
    requiredRight: 'billing',
    isPersonal: true,
    summary: 'Create an order',
    description: 'The order is for a plan or SMS credit.',
    body: z.union([
      z.strictObject(planChoice),
      z.strictObject({
        /** SMS credit in whole units of the currency. */
        credit: z.number().int().min(MIN_CREDIT).max(MAX_CREDIT),
        currency: CurrencyCode.default(DEFAULT_CURRENCY),
        coupon_name: line(MAX_COUPON).optional(),
      }),
    ]),
    response: dataResponse(BillingOrder),
    errors: {
      ...BILLING_OFF,
      ...COUPON,
      size_too_small: 422,
      too_many_orders: 429,
      account_suspended: 409,
    },
  },
  readOrder: {
    method: 'GET',
    path: '/client-api/api/orders/{id}',
    caller: 'account',
    requiredRight: 'billing',
    summary: 'Get an order with its lines',
    params: orderId,
    response: dataResponse(BillingOrder),
  },
  updateOrder: {
    method: 'PUT',
    path: '/client-api/api/orders/{id}',
    caller: 'account',
    requiredRight: 'billing',
    isPersonal: true,
    summary: 'Update an unpaid order',
    description: 'Changes the duration, the currency or the coupon.',
    params: orderId,
    body: z.strictObject({
      duration: DurationMonths.optional(),
      currency: CurrencyCode.optional(),
      /** Empty: none. */
      coupon_name: text(MAX_COUPON).nullable().optional(),
    }),
    response: dataResponse(BillingOrder),
    errors: { ...BILLING_OFF, ...COUPON, order_closed: 409, order_being_paid: 409 },
  },
  readClientToken: {
    method: 'GET',
    path: '/client-api/api/orders/client_token',
    caller: 'account',
    requiredRight: 'billing',
    isPersonal: true,
    summary: "Get the card form's configuration",
    query: z.strictObject({ currency: CurrencyCode.default(DEFAULT_CURRENCY) }),
    response: dataResponse(
      z.object({
        token: z.string(),
        gateway: z.enum(['test', 'braintree', 'stripe']),
        frame: z.string(),
      }),
    ),
    transaction: 'own',
    errors: { ...BILLING_OFF, gateway_unreachable: 503 },
  },
  payOrder: {
    method: 'POST',
    path: '/client-api/api/orders/{id}/pay',
    caller: 'account',
    requiredRight: 'billing',
    isPersonal: true,
    summary: 'Confirm an order by paying it',
    description: 'Pays with a new or stored card; free orders need none. An order is charged once.',
    params: orderId,
    body: z.strictObject({
      /** Token of the card form. */
      card: z.string().min(1).max(2048).optional(),
      /** A stored payment method, instead of `card`. */
      method_id: idOf('method').optional(),
      save: z.boolean().default(true),
      /** The total shown to the payer; a different total is refused. */
      total: z.number().int().min(0),
    }),
    response: dataResponse(OrderPayment),
    transaction: 'own',
    errors: {
      ...BILLING_OFF,
      ...COUPON,
      coupon_used_up: 422,
      order_closed: 409,
      order_being_paid: 409,
      order_changed: 409,
      card_needed: 422,
      account_suspended: 409,
    },
  },
  finishPayment: {
    method: 'POST',
    path: '/client-api/api/orders/{id}/finish',
    caller: 'account',
    requiredRight: 'billing',
    isPersonal: true,
    summary: 'Check a pending payment',
    description: "Gets the status of a payment that awaited the bank's confirmation.",
    params: orderId,
    body: z.strictObject({}),
    response: dataResponse(OrderPayment),
    transaction: 'own',
    errors: BILLING_OFF,
  },
  listInvoices: {
    method: 'GET',
    path: '/client-api/api/invoices',
    caller: 'account',
    requiredRight: 'billing',
    summary: 'List invoices and credit notes',
    description: 'Returns the newest first.',
    query: listQuery({ sorts: ['created'], order: 'created', direction: 'desc' }),
    response: listResponse(Invoice),
  },
  downloadInvoice: {
    method: 'GET',
    path: '/client-api/api/invoices/{id}/pdf',
    caller: 'account',
    requiredRight: 'billing',
    summary: 'Download an invoice as PDF',
    params: z.object({ id: idOf('invoice') }),
  },
  listPaymentMethods: {
    method: 'GET',
    path: '/client-api/api/payment-methods',
    caller: 'account',
    requiredRight: 'billing',
    summary: 'List stored cards',
    description: 'Returns brand, last digits and expiry. Card numbers are never stored.',
    response: listResponse(PaymentMethod),
  },
  chooseMethod: {
    method: 'PATCH',
    path: '/client-api/api/payment-methods/{id}',
    caller: 'account',
    requiredRight: 'billing',
    isPersonal: true,
    summary: 'Set the card for renewals',
    params: z.object({ id: idOf('method') }),
    body: z.strictObject({ is_default: z.literal(true) }),
    response: SuccessResponse,
    errors: BILLING_OFF,
  },
  removeMethod: {
    method: 'DELETE',
    path: '/client-api/api/payment-methods/{id}',
    caller: 'account',
    requiredRight: 'billing',
    isPersonal: true,
    summary: 'Remove a stored card',
    description: 'Also deletes it at the payment gateway.',
    params: z.object({ id: idOf('method') }),
    response: SuccessResponse,
    transaction: 'own',
    errors: BILLING_OFF,
  },
});
