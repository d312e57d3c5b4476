// The form's document as its author edits it, the snapshot that sites load, and the rules for
// showing the form. Shared by the builder, the server and the embed script.

import type { WebFont } from './fonts.ts';

export const TYPES = ['embed', 'popup', 'spinToWin'] as const;
export type FormType = (typeof TYPES)[number];

/** Languages of forms and of their validation messages. */
export const FORM_LANGUAGES = ['eng', 'lit', 'pol', 'spa', 'lav', 'nor', 'swe', 'fas'] as const;
export type FormLanguage = (typeof FORM_LANGUAGES)[number];
/** ISO codes as browsers use them. */
export const ISO: Record<FormLanguage, string> = {
  eng: 'en',
  lit: 'lt',
  pol: 'pl',
  spa: 'es',
  lav: 'lv',
  nor: 'nb',
  swe: 'sv',
  fas: 'fa',
};
/** Languages that template copy is translated into. */
export const TEMPLATE_LANGUAGES = ['eng', 'lit', 'pol', 'spa'] as const;

export const LAYOUTS = {
  popup: [
    'card',
    'picture-start',
    'picture-top',
    'picture-behind',
    'corner',
    'bar',
    'full',
    'two-steps',
  ],
  embed: ['stacked', 'row'],
  spinToWin: ['wheel-beside', 'wheel-above'],
} as const;
export type FormLayout = (typeof LAYOUTS)[FormType][number];

export const FIELD_KINDS = [
  'email',
  'text',
  'number',
  'datetime',
  'datetime-local',
  'time',
  'month',
  'color',
  'phone',
  'url',
  'select',
  'choices',
  'hidden',
] as const;
export type FieldKind = (typeof FIELD_KINDS)[number];

export type FormBlock = { id: string } & (
  | { kind: 'heading' | 'text'; text: string }
  | { kind: 'image'; url: string; alt: string }
  | { kind: 'divider' }
  | { kind: 'spacer'; height: number }
  | {
      kind: 'field';
      /** `email`, `phone`, `firstname`, `lastname`, or the id of a custom field. */
      field: string;
      as: FieldKind;
      label: string;
      placeholder: string;
      required: boolean;
      /** For select and choices. */
      options: string[];
      /** For hidden fields: a constant, or `{{name}}` for a query parameter of the page's URL. */
      value: string;
      /** Two consecutive half-width fields share a row. */
      half: boolean;
      /** Bounds of a number, if set. */
      min?: number | undefined;
      max?: number | undefined;
      /** Minimum and maximum text length in characters. */
      minLength?: number | undefined;
      maxLength?: number | undefined;
      /**
       * Pattern for text input, character by character: 0 matches a digit, A a letter, * either;
       * any other character matches itself.
       */
      pattern?: string | undefined;
    }
  | { kind: 'interests'; label: string }
  | { kind: 'consent'; as: 'email' | 'sms' | 'terms'; text: string; required: boolean }
  | { kind: 'button'; text: string }
  | { kind: 'decline'; text: string }
  /** Shows the prize or the coupon code in the success view. */
  | { kind: 'code'; text: string }
);
export type BlockKind = FormBlock['kind'];
export type FormFieldBlock = Extract<FormBlock, { kind: 'field' }>;

export type Styles = {
  width: number;
  borderWidth: number;
  borderColour: string;
  radius: number;
  shadow: boolean;
  background: string;
  colour: string;
  heading: string;
  headingSize: number;
  textSize: number;
  align: 'start' | 'center';
  font: string;
  fieldBackground: string;
  fieldBorder: string;
  fieldColour: string;
  fieldRadius: number;
  button: string;
  buttonColour: string;
  buttonRadius: number;
  buttonFull: boolean;
  overlay: string;
  spacing: number;
  textWeight: number;
  /** If empty, the form's font is used. */
  headingFont: string;
  headingWeight: number;
  fieldBorderWidth: number;
  fieldShadow: boolean;
  buttonWeight: number;
  buttonBorderWidth: number;
  buttonBorderColour: string;
  buttonShadow: boolean;
};

export type FormDocument = {
  version: 1;
  language: FormLanguage;
  layout: FormLayout;
  /** One step, or two in two-step popups. */
  steps: { id: string; blocks: FormBlock[] }[];
  success: FormBlock[];
  picture: { url: string; alt: string } | null;
  /** The small tab that remains after closing a popup; empty: none. */
  teaser: string;
  styles: Styles;
};

/** Default styles of a form. */
export const STYLES: Styles = {
  width: 450,
  borderWidth: 2,
  borderColour: '#e4e4e0',
  radius: 5,
  shadow: true,
  background: '#ffffff',
  colour: '#4a4d57',
  heading: '#1b1d22',
  headingSize: 26,
  textSize: 16,
  align: 'start',
  font: 'inherit',
  fieldBackground: '#ffffff',
  fieldBorder: '#8a8d98',
  fieldColour: '#1b1d22',
  fieldRadius: 5,
  button: '#3b4fe4',
  buttonColour: '#ffffff',
  buttonRadius: 5,
  buttonFull: true,
  overlay: '#00000080',
  spacing: 16,
  textWeight: 400,
  headingFont: '',
  headingWeight: 700,
  fieldBorderWidth: 1,
  fieldShadow: false,
  buttonWeight: 600,
  buttonBorderWidth: 0,
  buttonBorderColour: '#1b1d22',
  buttonShadow: false,
};

export const LIMITS = {
  blocks: 60,
  text: 4000,
  label: 255,
  options: 100,
  words: 500,
  documentBytes: 262_144,
  slices: 12,
  answer: 10_000,
  /** First and last names. */
  name: 255,
  pattern: 100,
} as const;

/** An element: tag, attributes and children; or text. */
export type MarkupTree =
  | string
  | [tag: string, attributes: Record<string, string>, ...children: MarkupTree[]];

export type FormFieldRule = {
  /** The name of the input, and the key of the submitted value. */
  key: string;
  as: FieldKind | 'interests' | 'consent';
  required: boolean;
  /** Allowed values of select, choices and interests. */
  options?: string[];
  min?: number;
  max?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
};

export type WheelSlice = { label: string; colour: string };

/** The form as a site loads it, without secrets of the account. */
export type Snapshot = {
  id: string;
  version: number;
  type: FormType;
  layout: FormLayout;
  language: FormLanguage;
  direction: 'ltr' | 'rtl';
  css: string;
  steps: MarkupTree[];
  success: MarkupTree;
  rules: FormFieldRule[];
  words: Record<string, string>;
  /**
   * The captcha to solve before submitting: our own proof of work, or a provider's in a frame of
   * our host.
   */
  captcha: 'altcha' | 'recaptcha' | 'hcaptcha' | 'turnstile' | 'none';
  redirect: string;
  teaser: string;
  wheel: WheelSlice[] | null;
  /** Web fonts, served by our own host; older snapshots have none. */
  fonts?: WebFont[];
};

/**
 * Rules that determine when a form is shown and to which visitors. They are data, never
 * expressions.
 */
export type ShowRules = {
  visibility: { is: 'all' | 'only' | 'except'; pages: string[] };
  /** Start and end of the period when the form is shown; empty for no limit. */
  from: string;
  until: string;
  /** Seconds after the start of the script until the form is shown; null: off. */
  delay: number | null;
  /** Scroll depth that shows the form, as a percentage of the page; null: off. */
  scroll: number | null;
  /** Minimum minutes between two displays on exit intent; null: off. */
  leave: number | null;
  /** CSS selector of elements that open the form when clicked; empty: none. */
  click: string;
  /** Minutes after closing until the form is shown again; null: each time. */
  every: number | null;
  hidden: ('mobile' | 'tablet' | 'desktop')[];
};

export type IndexEntry = {
  /** Public ID: `embed_hash` in the API. */
  id: string;
  /** Number of the form within the account; scripts on the page may refer to the form by it. */
  number: string;
  type: FormType;
  layout: FormLayout;
  version: number;
  show: ShowRules;
};
