// The form's document and what becomes of it: what its author edits, and the snapshot that sites get.
// Known to the builder, the server and the script on customers' sites.

import type { WebFont } from './fonts.ts';

export const TYPES = ['embed', 'popup', 'spinToWin'] as const;
export type FormType = (typeof TYPES)[number];

/** Languages that templates and validation messages are written in. */
export const FORM_LANGUAGES = ['eng', 'lit', 'pol', 'spa', 'lav', 'nor', 'swe', 'fas'] as const;
export type FormLanguage = (typeof FORM_LANGUAGES)[number];
/** As browsers and others write them. */
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
/** The languages of the templates' own texts. */
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
export type Layout = (typeof LAYOUTS)[FormType][number];

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

export type Block = { id: string } & (
  | { kind: 'heading' | 'text'; text: string }
  | { kind: 'image'; url: string; alt: string }
  | { kind: 'divider' }
  | { kind: 'spacer'; height: number }
  | {
      kind: 'field';
      /** email, phone, firstname, lastname, or the id of one of the account's own fields. */
      field: string;
      as: FieldKind;
      label: string;
      placeholder: string;
      required: boolean;
      /** Of select and choices. */
      options: string[];
      /** Of hidden fields: a constant, or what the page's query has under this name. */
      value: string;
      /** Two that follow each other stand side by side. */
      half: boolean;
      /** Of numbers, where they have any. */
      min?: number | undefined;
      max?: number | undefined;
      /** Of texts, in characters. */
      minLength?: number | undefined;
      maxLength?: number | undefined;
      /** Of texts, character by character: 0 a digit, A a letter, * either; others stand for themselves. */
      pattern?: string | undefined;
    }
  | { kind: 'interests'; label: string }
  | { kind: 'consent'; as: 'email' | 'sms' | 'terms'; text: string; required: boolean }
  | { kind: 'button'; text: string }
  | { kind: 'decline'; text: string }
  /** On the success view: the prize's code. */
  | { kind: 'code'; text: string }
);
export type BlockKind = Block['kind'];
export type FieldBlock = Extract<Block, { kind: 'field' }>;

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
  /** Empty: as the rest of the form. */
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
  layout: Layout;
  /** Popups of two steps have two. */
  steps: { id: string; blocks: Block[] }[];
  success: Block[];
  picture: { url: string; alt: string } | null;
  /** The small tab that a closed popup leaves; empty: none. */
  teaser: string;
  styles: Styles;
};

/** Defaults of the specification: width 450, border 2, radius 5. */
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
  /** Of first and last names, as people have them. */
  name: 255,
  pattern: 100,
} as const;

/** An element: its tag, attributes, and what stands in it; or text. */
export type Tree = string | [tag: string, attributes: Record<string, string>, ...children: Tree[]];

export type FieldRule = {
  /** The name of the input, and the key of the answer. */
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

/** What a site gets: nothing of it is the account's secret. */
export type Snapshot = {
  id: string;
  version: number;
  type: FormType;
  layout: Layout;
  language: FormLanguage;
  direction: 'ltr' | 'rtl';
  css: string;
  steps: Tree[];
  success: Tree;
  rules: FieldRule[];
  words: Record<string, string>;
  /** Whose challenge is solved before sending: our own proof of work, or somebody's in a frame of our host. */
  captcha: 'altcha' | 'recaptcha' | 'hcaptcha' | 'turnstile' | 'none';
  redirect: string;
  teaser: string;
  wheel: WheelSlice[] | null;
  /** From our own host; older snapshots have none. */
  fonts?: WebFont[];
};

/** When and to whom a form is shown: rules are data, never expressions. */
export type ShowRules = {
  visibility: { is: 'all' | 'only' | 'except'; pages: string[] };
  /** Instants; empty: always. */
  from: string;
  until: string;
  delay: number | null;
  scroll: number | null;
  /** Minutes between two showings to somebody who leaves; null: not. */
  leave: number | null;
  /** Shown by a click on what this selector names; empty: not. */
  click: string;
  /** Minutes after a close until it is shown again; null: each time. */
  every: number | null;
  hidden: ('mobile' | 'tablet' | 'desktop')[];
};

export type IndexEntry = {
  /** Public id: the specification's `embed_hash`. */
  id: string;
  /** The account's own number of it, as the interface of other scripts names forms. */
  type: FormType;
  layout: Layout;
  version: number;
  show: ShowRules;
};
