// Forms: embedded forms, popups and the wheel (specification, sections 2, 3, 5, 7 and 9).
import { z } from 'zod';
import {
  FIELD_KINDS,
  FORM_LANGUAGES,
  LAYOUTS,
  LIMITS,
  STYLES,
  TEMPLATE_LANGUAGES,
  TYPES,
} from '#embed/forms/shared/document.ts';
import { CONTENT_KINDS } from '../content/limits.ts';
import { WORD_KEYS } from '#embed/forms/shared/words.ts';
import {
  dataAnswer,
  defineCalls,
  Done,
  Id,
  idOf,
  Instant,
  line,
  listAnswer,
  listQuery,
  text,
} from '#platform/contract.ts';
import {
  DELAY_SECONDS,
  FREQUENCY_DAYS,
  FREQUENCY_MINUTES,
  FREQUENCY_UNITS,
  PER_PAGE,
  SCHEDULES,
  SCROLL_PERCENT,
  TITLE_MOST,
  VISIBILITY,
} from './limits.ts';

const Colour = z.string().regex(/^#[0-9a-f]{3,8}$/i);
const WebAddress = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[^\s"'<>]+$/i);
const Words = text(LIMITS.text);
const Label = text(LIMITS.label);
const base = {
  id: z
    .string()
    .min(1)
    .max(40)
    .regex(/^[\w-]+$/),
};

export const Block = z.discriminatedUnion('kind', [
  z.strictObject({ ...base, kind: z.literal('heading'), text: Words }),
  z.strictObject({ ...base, kind: z.literal('text'), text: Words }),
  z.strictObject({
    ...base,
    kind: z.literal('image'),
    url: z.union([WebAddress, z.literal('')]),
    alt: Label,
  }),
  z.strictObject({ ...base, kind: z.literal('divider') }),
  z.strictObject({ ...base, kind: z.literal('spacer'), height: z.number().int().min(0).max(200) }),
  z.strictObject({
    ...base,
    kind: z.literal('field'),
    field: z
      .string()
      .min(1)
      .max(64)
      .regex(/^[\w-]+$/),
    as: z.enum(FIELD_KINDS),
    label: Label,
    placeholder: Label,
    required: z.boolean(),
    options: z.array(line(LIMITS.label, 1)).max(LIMITS.options),
    value: Label,
    half: z.boolean(),
  }),
  z.strictObject({ ...base, kind: z.literal('interests'), label: Label }),
  z.strictObject({
    ...base,
    kind: z.literal('consent'),
    as: z.enum(['email', 'sms', 'terms']),
    text: Words,
    required: z.boolean(),
  }),
  z.strictObject({ ...base, kind: z.literal('button'), text: line(LIMITS.label, 1) }),
  z.strictObject({ ...base, kind: z.literal('decline'), text: line(LIMITS.label, 1) }),
  z.strictObject({ ...base, kind: z.literal('code'), text: Words }),
]);

const Weight = z.number().int().min(100).max(900).multipleOf(100);
const FontStack = z
  .string()
  .max(200)
  .regex(/^[\w '",.-]+$/);
const size = (most: number) => z.number().int().min(0).max(most);

export const Document = z.strictObject({
  version: z.literal(1),
  language: z.enum(FORM_LANGUAGES),
  layout: z.enum([...LAYOUTS.popup, ...LAYOUTS.embed, ...LAYOUTS.spinToWin]),
  steps: z
    .array(z.strictObject({ id: base.id, blocks: z.array(Block).max(LIMITS.blocks) }))
    .min(1)
    .max(3),
  success: z.array(Block).max(LIMITS.blocks),
  picture: z.strictObject({ url: z.union([WebAddress, z.literal('')]), alt: Label }).nullable(),
  teaser: Label,
  styles: z.strictObject({
    width: z.number().int().min(200).max(1200),
    borderWidth: size(40),
    borderColour: Colour,
    radius: size(100),
    shadow: z.boolean(),
    background: Colour,
    colour: Colour,
    heading: Colour,
    headingSize: z.number().int().min(10).max(80),
    textSize: z.number().int().min(10).max(40),
    align: z.enum(['start', 'center']),
    font: FontStack,
    fieldBackground: Colour,
    fieldBorder: Colour,
    fieldColour: Colour,
    fieldRadius: size(60),
    button: Colour,
    buttonColour: Colour,
    buttonRadius: size(60),
    buttonFull: z.boolean(),
    overlay: Colour,
    spacing: size(80),
    textWeight: Weight.default(STYLES.textWeight),
    headingFont: z.union([FontStack, z.literal('')]).default(''),
    headingWeight: Weight.default(STYLES.headingWeight),
    fieldBorderWidth: size(20).default(STYLES.fieldBorderWidth),
    fieldShadow: z.boolean().default(STYLES.fieldShadow),
    buttonWeight: Weight.default(STYLES.buttonWeight),
    buttonBorderWidth: size(20).default(STYLES.buttonBorderWidth),
    buttonBorderColour: Colour.default(STYLES.buttonBorderColour),
    buttonShadow: z.boolean().default(STYLES.buttonShadow),
  }),
});

const Slice = z.strictObject({
  label: line(60, 1),
  coupon_code: line(100),
  is_losing: z.boolean(),
  /** How often it comes, beside the others' weights. */
  weight: z.number().int().min(0).max(1000).default(1),
  /** Single-use codes of the stock are given out instead of coupon_code. */
  uses_stock: z.boolean().default(false),
  colour: Colour.default('#3b4fe4'),
});

/** Instants; on the wire as ISO. */
const When = Instant.nullable();

export const Settings = z.strictObject({
  layout: z.string().max(40).default(''),
  visibility_type: z.enum(VISIBILITY).default('all'),
  /** Addresses with `*` for anything. */
  visibility_pages: z.array(line(500, 1)).max(50).default([]),
  schedule_type: z.enum(SCHEDULES).default('always'),
  schedule_start: When.default(null),
  schedule_end: When.default(null),
  delay: z.boolean().default(true),
  delay_amount: z.number().int().min(0).max(3600).default(DELAY_SECONDS),
  scroll: z.boolean().default(false),
  scroll_percent: z.number().int().min(0).max(100).default(SCROLL_PERCENT),
  popup_frequency_type: z.enum(FREQUENCY_UNITS).default('days'),
  popup_frequency_amount: z.number().int().min(0).max(3650).default(FREQUENCY_DAYS),
  popup_frequency_minutes: z.number().int().min(0).max(5_256_000).default(FREQUENCY_MINUTES),
  /** false, or the minutes between two showings. */
  show_on_leave: z.union([z.literal(false), z.number().int().min(1).max(10_000)]).default(false),
  /** A selector of what is clicked; empty: not. */
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
  /** In place of the language's own. */
  validation_messages: z.partialRecord(z.enum(WORD_KEYS), line(255, 1)).default({}),
  wheel_config: z
    .strictObject({
      setup: z.array(Slice).min(2).max(LIMITS.slices),
      losing_slice_val: line(100).default(''),
      /** Id of the field that keeps the prize; empty: none. */
      custom_field: z.string().max(64).default(''),
    })
    .nullable()
    .default(null),
  /** The mail of double opt-in. */
  confirmation: z
    .strictObject({
      subject: line(255).default(''),
      from_name: line(64).default(''),
      from_email: z.union([z.email().max(254), z.literal('')]).default(''),
      heading: line(255).default(''),
      text: text(2000).default(''),
      button: line(100).default(''),
    })
    .default({ subject: '', from_name: '', from_email: '', heading: '', text: '', button: '' }),
  /** Always a button on the confirmation page, never by script. */
  confirm_by_button: z.boolean().default(false),
});
export type Settings = z.infer<typeof Settings>;

/** What is named changes, what is not stays: without the defaults, which would fill in the rest. */
const SettingsChange = z.strictObject(
  Object.fromEntries(
    Object.entries(Settings.shape).map(([name, schema]) => [
      name,
      schema.removeDefault().optional(),
    ]),
  ),
) as unknown as z.ZodType<Partial<Settings>>;

export const FormRow = z.object({
  id: Id,
  type: z.enum(TYPES),
  title: z.string(),
  is_active: z.boolean(),
  /** Of the last 30 days… since the form was made: shown, signed up, and the share. */
  views: z.number(),
  sign_ups: z.number(),
  settings: z.object({ id: Id, embed_hash: z.string(), layout: z.string() }),
  created: Instant,
  modified: Instant,
});
export type FormRow = z.infer<typeof FormRow>;

export const Form = FormRow.extend({
  document: Document,
  settings: Settings.extend({ id: Id }),
  fields: z.array(
    z.object({
      field: z.string(),
      as: z.enum(FIELD_KINDS),
      required: z.boolean(),
      label: z.string(),
    }),
  ),
  groups: z.array(z.object({ id: Id, title: z.string() })),
  mandatory_tags: z.array(Id),
  revision: z.number(),
  /** Null: never published. */
  published_version: z.number().nullable(),
  has_unpublished: z.boolean(),
  hosted_url: z.string(),
  embed_script: z.string(),
  /** How the confirmation mail was written; null: the product's own words. */
  mail_editor: z.enum(CONTENT_KINDS).nullable(),
  mail_revision: z.number(),
});
export type Form = z.infer<typeof Form>;

const formId = z.object({ id: idOf('form') });

export const calls = defineCalls({
  listForms: {
    method: 'GET',
    path: '/client-api/api/forms',
    who: 'account',
    summary: 'Forms with their figures',
    query: listQuery(
      { sorts: ['created', 'title', 'modified'], perPage: PER_PAGE },
      { type: z.enum(TYPES).optional() },
    ),
    answer: listAnswer(FormRow),
  },
  createForm: {
    method: 'POST',
    path: '/client-api/api/forms',
    who: 'account',
    summary: 'Makes a form of a layout',
    body: z.strictObject({
      type: z.enum(TYPES),
      title: line(TITLE_MOST, 1),
      layout: z.string().max(40).optional(),
      language: z.enum(TEMPLATE_LANGUAGES).optional(),
    }),
    answer: dataAnswer(Form),
    errors: { too_many_forms: 422, layout_unknown: 422 },
  },
  readForm: {
    method: 'GET',
    path: '/client-api/api/forms/{id}',
    who: 'account',
    summary: 'One form with its draft',
    params: formId,
    answer: dataAnswer(Form),
  },
  updateForm: {
    method: 'PATCH',
    path: '/client-api/api/forms/{id}',
    who: 'account',
    summary: 'General data of a form: its title, draft and settings, and whether it is switched on',
    params: formId,
    body: z.strictObject({
      title: line(TITLE_MOST, 1).optional(),
      /** 1 publishes what is not published yet. */
      is_active: z.union([z.literal(0), z.literal(1), z.boolean()]).optional(),
      document: Document.optional(),
      settings: SettingsChange.optional(),
      /** The draft that was changed: another tab's newer one is not overwritten. */
      revision: z.number().int().optional(),
    }),
    bodyLimit: 524_288,
    answer: dataAnswer(Form),
    errors: { email_missing: 422, sender_missing: 422, field_unknown: 422, wheel_missing: 422 },
  },
  publishForm: {
    method: 'POST',
    path: '/client-api/api/forms/{id}/publish',
    who: 'account',
    summary: 'Makes the draft what sites show',
    params: formId,
    body: z.strictObject({}),
    answer: dataAnswer(Form),
    errors: { email_missing: 422, sender_missing: 422, field_unknown: 422, wheel_missing: 422 },
  },
  setFormGroups: {
    method: 'POST',
    path: '/client-api/api/forms/{id}/tags',
    who: 'account',
    summary: 'The groups that a form puts people into',
    params: formId,
    body: z.strictObject({
      tags_ids: z.array(idOf('group')).max(100),
      /** Those that everybody joins; all where nothing is said. */
      mandatory_tags: z.array(idOf('group')).max(100).optional(),
    }),
    answer: dataAnswer(Form),
  },
  setDoubleOptIn: {
    method: 'PUT',
    path: '/client-api/api/forms/{id}/double_opt_in',
    who: 'account',
    summary: 'Whether people confirm by mail, and who that mail is from: at once, draft and live',
    params: formId,
    body: z.strictObject({
      double_opt_in: z.boolean(),
      subject: line(255).optional(),
      from_name: line(64).optional(),
      from_email: z.union([z.email().max(254), z.literal('')]).optional(),
    }),
    answer: dataAnswer(Form),
    errors: { sender_missing: 422 },
  },
  copyForm: {
    method: 'POST',
    path: '/client-api/api/forms/{id}/copy',
    who: 'account',
    summary: 'A form like this one, switched off',
    params: formId,
    body: z.strictObject({ title: line(TITLE_MOST, 1) }),
    answer: dataAnswer(Form),
    errors: { too_many_forms: 422 },
  },
  deleteForm: {
    method: 'DELETE',
    path: '/client-api/api/forms/{id}',
    who: 'account',
    summary: 'Deletes a form: sites show it no more, the people stay',
    params: formId,
    answer: Done,
  },
  readFormChart: {
    method: 'GET',
    path: '/client-api/api/forms/{id}/chart',
    who: 'account',
    summary: 'Views, starts, closes, sign-ups and confirmations by day',
    params: formId,
    query: z.strictObject({ days: z.coerce.number().int().min(1).max(366).default(30) }),
    answer: dataAnswer(
      z.object({
        days: z.array(
          z.object({
            day: z.string(),
            views: z.number(),
            sign_ups: z.number(),
            confirmed: z.number(),
          }),
        ),
        devices: z.array(z.object({ device: z.string(), views: z.number(), sign_ups: z.number() })),
        /** Twenty at most, those with the most sign-ups first. */
        pages: z.array(z.object({ page: z.string(), views: z.number(), sign_ups: z.number() })),
        totals: z.object({
          views: z.number(),
          starts: z.number(),
          closes: z.number(),
          sign_ups: z.number(),
          confirmed: z.number(),
          trapped: z.number(),
        }),
      }),
    ),
  },
  readFormCodes: {
    method: 'GET',
    path: '/client-api/api/forms/{id}/codes',
    who: 'account',
    summary: 'How many single-use codes each slice of the wheel has left',
    params: formId,
    answer: dataAnswer(
      z.array(z.object({ slice: z.number(), left: z.number(), given: z.number() })),
    ),
  },
  addFormCodes: {
    method: 'POST',
    path: '/client-api/api/forms/{id}/codes',
    who: 'account',
    summary: 'Adds single-use codes to a slice of the wheel',
    params: formId,
    body: z.strictObject({
      slice: z
        .number()
        .int()
        .min(0)
        .max(LIMITS.slices - 1),
      codes: z.array(line(100, 1)).min(1).max(10_000),
    }),
    answer: dataAnswer(z.object({ added: z.number() })),
    errors: { too_many_codes: 422 },
  },
  exportSpins: {
    method: 'GET',
    path: '/client-api/api/forms/{id}/spins',
    who: 'account',
    summary: 'The record of the wheel’s draws as CSV',
    params: formId,
  },
});
