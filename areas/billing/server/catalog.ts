// The operator's catalog: plans with sizes and prices, coupons, taxes, SMS prices, and the seller.
// It is read at startup from one file (BILLING_FILE); there is a built-in default. Prices in the
// file are in units of the currency; prices of plans and coupons have up to two decimals.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isCountry } from '#platform/countries.ts';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import { CURRENCIES, type Currency, FEATURES } from '../shared.ts';

/** 12.5 → 1250. */
const Money = z
  .number()
  .min(0)
  .max(1_000_000)
  .refine(
    (value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6,
    'has more than two decimals',
  )
  .transform((value) => Math.round(value * 100));

const Prices = z.object({ usd: Money, eur: Money });
const Country = z.string().refine(isCountry, 'is not a country code of two capital letters');
const Key = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'is not a key of lowercase letters, digits, _ and -');

const Size = z.strictObject({
  /** Active subscribers. */
  subscribers: z.number().int().min(1).max(100_000_000),
  monthly: Prices,
  /** Price per year. */
  annual: Prices,
});

const CatalogPlan = z.strictObject({
  key: Key,
  title: z.string().trim().min(1).max(64),
  /** Emails per month and subscriber of the size; null: unlimited. */
  emails_per_subscriber: z.number().min(0).max(10_000).nullable(),
  features: z.array(z.enum(FEATURES)).default([]),
  sizes: z.array(Size).min(1).max(100),
});

const Free = z.strictObject({
  title: z.string().trim().min(1).max(64).default('Free Forever'),
  subscribers: z.number().int().min(0).nullable(),
  emails: z.number().int().min(0).nullable(),
  features: z.array(z.enum(FEATURES)).default([]),
});

const CatalogCoupon = z
  .strictObject({
    code: z
      .string()
      .regex(/^[A-Z0-9-]{3,64}$/, 'is not a code of capital letters, digits and hyphens'),
    percent: z.number().min(1).max(100).optional(),
    amount: Prices.optional(),
    from: z.iso.date().optional(),
    until: z.iso.date().optional(),
    most_uses: z.number().int().min(1).optional(),
    plans: z.array(Key).optional(),
  })
  .refine(
    (discount) => (discount.percent === undefined) !== (discount.amount === undefined),
    'needs either percent or amount',
  );

const Tax = z.strictObject({
  country: Country,
  name: z.string().min(1).max(32),
  percent: z.number().min(0).max(100),
});

const BillingCatalog = z.strictObject({
  /**
   * `enforced`: campaigns of an account above its limits stop; `shown`: limits are only displayed.
   */
  limits: z.enum(['enforced', 'shown']).default('enforced'),
  /** Whether SMS are refused if the credit is insufficient; the default follows `limits`. */
  sms_credit: z.enum(['enforced', 'shown']).optional(),
  seller: z.strictObject({
    name: z.string().min(1).max(255),
    address: z.array(z.string().max(255)).min(1).max(8),
    country: Country,
    vat_number: z.string().max(32).optional(),
    email: z.email().optional(),
    invoice_prefix: z
      .string()
      .regex(/^[A-Z0-9-]{0,12}$/)
      .default('INV-'),
  }),
  free: Free,
  plans: z.array(CatalogPlan).max(20),
  coupons: z.array(CatalogCoupon).max(1000).default([]),
  taxes: z.array(Tax).max(300).default([]),
  /** Price of one SMS part by country in units of the currency; `other` for all other countries. */
  sms_prices: z.record(z.string(), z.number().min(0).max(100)).default({ other: 0.08 }),
});

export type BillingCatalog = z.infer<typeof BillingCatalog>;
export type CatalogPlan = BillingCatalog['plans'][number];
export type PlanSize = CatalogPlan['sizes'][number];
export type CatalogCoupon = BillingCatalog['coupons'][number];

/**
 * Validates the operator's file.
 * @throws CannotStart with a message per error
 */
export function parseCatalog(text: string, file: string): BillingCatalog {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new CannotStart(`${file} is not JSON: ${(error as Error).message}.`);
  }
  const result = BillingCatalog.safeParse(json);
  const mistakes = result.success
    ? contradictions(result.data)
    : result.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
  if (mistakes.length > 0 || !result.success) {
    throw new CannotStart(
      `${file} is invalid:\n${mistakes.map((mistake) => `- ${mistake}`).join('\n')}`,
    );
  }
  return result.data;
}

export function readCatalog(file: string | undefined): BillingCatalog {
  if (file === undefined) return BUILT_IN;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CannotStart(`BILLING_FILE cannot be read: ${(error as Error).message}.`);
  }
  return parseCatalog(text, file);
}

function contradictions({ plans, coupons, taxes, sms_prices: prices }: BillingCatalog): string[] {
  const errors: string[] = [];
  const reportDuplicates = (subject: string, keys: string[]) => {
    for (const key of new Set(keys.filter((key, i) => keys.indexOf(key) !== i)))
      errors.push(`${subject} ${key} occurs twice`);
  };
  reportDuplicates(
    'the plan',
    plans.map(({ key }) => key),
  );
  reportDuplicates(
    'the coupon',
    coupons.map(({ code }) => code),
  );
  reportDuplicates(
    'the tax of',
    taxes.map(({ country }) => country),
  );
  for (const plan of plans) {
    reportDuplicates(
      `in the plan ${plan.key} the size`,
      plan.sizes.map(({ subscribers }) => String(subscribers)),
    );
    const isAscending = plan.sizes.every(
      (size, i) => size.subscribers >= (plan.sizes[i - 1]?.subscribers ?? 0),
    );
    if (!isAscending) errors.push(`the sizes of the plan ${plan.key} do not ascend`);
  }
  for (const country of Object.keys(prices)) {
    if (country !== 'other' && !Country.safeParse(country).success)
      errors.push(`the SMS price of ${country} needs a country code of two capital letters`);
  }
  const planKeys = new Set(plans.map(({ key }) => key));
  for (const { code, plans: only, from, until } of coupons) {
    for (const key of only ?? [])
      if (!planKeys.has(key)) errors.push(`the coupon ${code} names the unknown plan ${key}`);
    if (from && until && from > until) errors.push(`the coupon ${code} ends before it starts`);
  }
  return errors;
}

/** Returns a size's emails per month; null means unlimited. */
export function computeEmailLimit(
  plan: Pick<CatalogPlan, 'emails_per_subscriber'>,
  size: number,
): number | null {
  return plan.emails_per_subscriber === null ? null : Math.floor(plan.emails_per_subscriber * size);
}

export function findTax(
  catalog: BillingCatalog,
  country: string | null,
): BillingCatalog['taxes'][number] | undefined {
  return catalog.taxes.find((tax) => tax.country === country);
}

const inBothCurrencies = (amount: number): Record<Currency, number> =>
  Object.fromEntries(CURRENCIES.map((currency) => [currency, Math.round(amount * 100)])) as Record<
    Currency,
    number
  >;

/** Creates sizes with a volume discount; a year costs ten months. */
function sizes(perThousand: number, min: number): PlanSize[] {
  return [1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000].map(
    (subscribers) => {
      const month = Math.max(min, Math.round(perThousand * (subscribers / 1000) ** 0.82));
      return {
        subscribers,
        monthly: inBothCurrencies(month),
        annual: inBothCurrencies(month * 10),
      };
    },
  );
}

/** Default plans that allow trying every feature; a larger plan is bought with a test card. */
const BUILT_IN: BillingCatalog = {
  limits: 'enforced',
  sms_credit: 'shown',
  seller: {
    name: 'Sendloom test shop',
    address: ['1 Example Street', 'Exampletown'],
    country: 'US',
    invoice_prefix: 'TEST-',
  },
  free: { title: 'Free Forever', subscribers: 2_500, emails: 15_000, features: [] },
  plans: [
    {
      key: 'standard',
      title: 'Standard',
      emails_per_subscriber: 12,
      features: ['no_branding', 'sms', 'webhooks', 'seats_3'],
      sizes: sizes(9, 9),
    },
    {
      key: 'professional',
      title: 'Professional',
      emails_per_subscriber: 24,
      features: ['no_branding', 'sms', 'webhooks', 'group_performance', 'sms_credit', 'seats_10'],
      sizes: sizes(19, 19),
    },
    {
      key: 'enterprise',
      title: 'Enterprise',
      emails_per_subscriber: null,
      features: [
        'no_branding',
        'sms',
        'webhooks',
        'group_performance',
        'sms_credit',
        'unlimited_emails',
      ],
      sizes: sizes(49, 99),
    },
  ],
  coupons: [
    { code: 'TRYIT', percent: 20 },
    { code: 'ALLFREE', percent: 100 },
    { code: 'TENOFF', amount: { usd: 1000, eur: 1000 } },
  ],
  taxes: [
    { country: 'LT', name: 'PVM', percent: 21 },
    { country: 'LV', name: 'PVN', percent: 21 },
    { country: 'SE', name: 'Moms', percent: 25 },
    { country: 'DE', name: 'MwSt.', percent: 19 },
  ],
  sms_prices: {
    US: 0.015,
    CA: 0.015,
    LT: 0.045,
    LV: 0.05,
    SE: 0.06,
    NO: 0.065,
    GB: 0.045,
    DE: 0.085,
    other: 0.09,
  },
};

/** Finds an offered size of a plan. */
export function findPlanSize(
  catalog: BillingCatalog,
  key: string,
  subscribers: number,
): { plan: CatalogPlan; size: PlanSize } | undefined {
  const plan = catalog.plans.find((plan) => plan.key === key);
  const size = plan?.sizes.find((size) => size.subscribers === subscribers);
  return plan && size ? { plan, size } : undefined;
}
