// The behavior of a form: when, where and to whom it is shown, its wheel, and how a sign-up is
// confirmed.
import { z } from 'zod';
import { LIMITS } from '#embed/forms/shared/document.ts';
import { TEXT_KEYS } from '#embed/forms/shared/text-keys.ts';
import { Instant, line, text } from '#platform/contract.ts';
import { senderAddress } from '#platform/email-address.ts';
import { Color, WebAddress } from './document-contract.ts';
import {
  DELAY_SECONDS,
  FREQUENCY_DAYS,
  FREQUENCY_MINUTES,
  FREQUENCY_UNITS,
  SCHEDULES,
  SCROLL_PERCENT,
  MAX_STOCK,
  VISIBILITY,
} from './shared.ts';

const Slice = z.strictObject({
  label: line(60, 1),
  coupon_code: line(100),
  is_losing: z.boolean(),
  /** The odds of the slice, relative to the other weights. */
  weight: z.number().int().min(0).max(1000).default(1),
  /** Single-use codes of the stock are given out instead of coupon_code. */
  uses_stock: z.boolean().default(false),
  /** Identifies the slice's code stock, even after slices are reordered; by default the index. */
  stock: z.number().int().min(0).max(MAX_STOCK).optional(),
  colour: Color.default('#3b4fe4'),
});

/** Start or end of the schedule; null for none. */
const NullableInstant = Instant.nullable();

export const FormSettings = z.strictObject({
  layout: z.string().max(40).default(''),
  visibility_type: z.enum(VISIBILITY).default('all'),
  /** URLs, with `*` as a wildcard. */
  visibility_pages: z.array(line(500, 1)).max(50).default([]),
  schedule_type: z.enum(SCHEDULES).default('always'),
  schedule_start: NullableInstant.default(null),
  schedule_end: NullableInstant.default(null),
  delay: z.boolean().default(true),
  delay_amount: z.number().int().min(0).max(3600).default(DELAY_SECONDS),
  scroll: z.boolean().default(false),
  scroll_percent: z.number().int().min(0).max(100).default(SCROLL_PERCENT),
  popup_frequency_type: z.enum(FREQUENCY_UNITS).default('days'),
  popup_frequency_amount: z.number().int().min(0).max(3650).default(FREQUENCY_DAYS),
  popup_frequency_minutes: z.number().int().min(0).max(5_256_000).default(FREQUENCY_MINUTES),
  /** false, or the minutes between two showings. */
  show_on_leave: z.union([z.literal(false), z.number().int().min(1).max(10_000)]).default(false),
  /** Selector of the element that shows the form when clicked; empty for none. */
  show_on_click: line(255).default(''),
  redirect_after: z.boolean().default(false),
  redirect_url: z.union([WebAddress, z.literal('')]).default(''),
  double_opt_in: z.boolean().default(false),
  use_recaptcha: z.boolean().default(true),
  show_gdpr: z.boolean().default(false),
  hide_on_mobile: z.boolean().default(false),
  hide_on_tablet: z.boolean().default(false),
  hide_on_desktop: z.boolean().default(false),
  embed_hash: z.string().max(64).default(''),
  /** Override the defaults of the language. */
  validation_messages: z.partialRecord(z.enum(TEXT_KEYS), line(255, 1)).default({}),
  wheel_config: z
    .strictObject({
      setup: z.array(Slice).min(2).max(LIMITS.slices),
      losing_slice_val: line(100).default(''),
      /** Id of the field that stores the prize; empty: none. */
      custom_field: z.string().max(64).default(''),
    })
    .nullable()
    .default(null),
  /** The confirmation email of double opt-in. */
  confirmation: z
    .strictObject({
      subject: line(255).default(''),
      from_name: line(64).default(''),
      from_email: z.union([z.literal(''), senderAddress(254)]).default(''),
      heading: line(255).default(''),
      text: text(2000).default(''),
      button: line(100).default(''),
    })
    .default({ subject: '', from_name: '', from_email: '', heading: '', text: '', button: '' }),
  /** The coupon code that subscribers get if the success view shows one. Wheels do not use it. */
  coupon: z
    .strictObject({
      /** fixed: the same code for all subscribers; pool: a code of a coupon pool for each. */
      source: z.enum(['fixed', 'pool']).default('fixed'),
      /** The reward, shown with the code: "10% off". */
      prize: line(60).default(''),
      code: line(100).default(''),
      /** Id of the coupon pool; empty: none. */
      pool_id: z.string().max(64).default(''),
    })
    .default({ source: 'fixed', prize: '', code: '', pool_id: '' }),
  /** Whether the code or the prize is emailed as well. */
  email_code: z.boolean().default(true),
  /** Always show a button on the confirmation page, instead of confirming by script. */
  confirm_by_button: z.boolean().default(false),
});
export type FormSettings = z.infer<typeof FormSettings>;

/** A partial update; it has no defaults, because they would reset omitted settings. */
export const SettingsChange = z.strictObject(
  Object.fromEntries(
    Object.entries(FormSettings.shape).map(([name, schema]) => [
      name,
      schema.removeDefault().optional(),
    ]),
  ),
) as z.ZodType<Partial<FormSettings>>;
