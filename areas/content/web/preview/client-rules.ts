// Features that Outlook for Windows (2007 to 2019, Word's renderer) and Gmail (webmail) do not
// show, each with a source. Previews remove exactly these.

import { replaceSpans } from '#platform/spans.ts';

export const MAIL_CLIENTS = ['gmail', 'outlook'] as const;
export type MailClient = (typeof MAIL_CLIENTS)[number];

type RuleBase = { clients: readonly MailClient[]; source: string };
export type PropertyRule = RuleBase & {
  kind: 'property';
  property: RegExp;
  /** If set, the rule applies to these values only. */
  value?: RegExp;
  /** The value that remains; if unset, the declaration is removed. */
  getRemainder?: (value: string) => string;
  /** Elements that keep the declaration, by their lower-case names. */
  exceptElements?: readonly string[];
};
export type ElementRule = RuleBase & {
  kind: 'element';
  selector: string;
  /** `unwrap` keeps the content; `blank` preserves an image's space. */
  action: 'remove' | 'unwrap' | 'blank';
};
export type ConditionalClientRule = RuleBase & {
  /** Rules of a style sheet by at-rule or selector. */
  kind: 'at_rule' | 'selector';
  matches: (prelude: string) => boolean;
};
export type ClientRule = PropertyRule | ElementRule | ConditionalClientRule;

const source = (feature: string) => `https://www.caniemail.com/features/${feature}/`;
const ALL_CLIENTS = MAIL_CLIENTS;
const OUTLOOK = ['outlook'] as const;
const GMAIL = ['gmail'] as const;

/** Matches media queries that use only features that Gmail supports. */
const WIDTH_ONLY =
  /^@media\b(?:\s|,|only\b|screen\b|all\b|and\b|\((?:min-|max-)?width\s*:[^()]*\))*$/i;

export const CLIENT_RULES = {
  style_in_body: {
    kind: 'element',
    clients: ALL_CLIENTS,
    source: source('html-style'),
    selector: 'body style',
    action: 'remove',
  },
  media_queries: {
    kind: 'at_rule',
    clients: OUTLOOK,
    source: source('css-at-media'),
    matches: (prelude) => /^@media\b/i.test(prelude),
  },
  dark_mode: {
    kind: 'at_rule',
    clients: GMAIL,
    source: source('css-at-media-prefers-color-scheme'),
    matches: (prelude) => /^@media\b/i.test(prelude) && !WIDTH_ONLY.test(prelude),
  },
  web_fonts: {
    kind: 'at_rule',
    clients: ALL_CLIENTS,
    source: source('css-at-font-face'),
    matches: (prelude) => /^@(?:font-face|import)\b/i.test(prelude),
  },
  attribute_selectors: {
    kind: 'selector',
    clients: OUTLOOK,
    source: source('css-selector-attribute'),
    matches: (prelude) => prelude.includes('['),
  },
  background_images: {
    kind: 'property',
    clients: OUTLOOK,
    source: source('css-background-image'),
    property: /^background(?:-image)?$/,
    value: /\burl\(|gradient\(/i,
    getRemainder: (value) =>
      /gradient\(/i.test(value) ? '' : replaceSpans(value, /\burl\(/gi, ')', () => '').trim(),
  },
  round_corners: {
    kind: 'property',
    clients: OUTLOOK,
    source: source('css-border-radius'),
    property: /^border-(?:[a-z]+-[a-z]+-)?radius$/,
  },
  max_width: {
    kind: 'property',
    clients: OUTLOOK,
    source: source('css-max-width'),
    property: /^max-width$/,
  },
  shadows: {
    kind: 'property',
    clients: ALL_CLIENTS,
    source: source('css-box-shadow'),
    property: /^box-shadow$/,
  },
  opacity: {
    kind: 'property',
    clients: OUTLOOK,
    source: source('css-opacity'),
    property: /^opacity$/,
  },
  positions: {
    kind: 'property',
    clients: ALL_CLIENTS,
    source: source('css-position'),
    property: /^position$/,
    value: /^(?!static)/i,
  },
  transforms: {
    kind: 'property',
    clients: ALL_CLIENTS,
    source: source('css-transform'),
    property: /^transform$/,
  },
  displays: {
    kind: 'property',
    clients: OUTLOOK,
    source: source('css-display'),
    property: /^display$/,
    value: /^(?!none|block|inline\s*(?:!|$)|table)/i,
  },
  paddings: {
    kind: 'property',
    clients: OUTLOOK,
    source: source('css-padding'),
    property: /^padding(?:-[a-z]+)*$/,
    value: /[1-9]/,
    exceptElements: ['td', 'th', 'table'],
  },
  margins: {
    kind: 'property',
    clients: ALL_CLIENTS,
    source: source('css-margin'),
    property: /^margin(?:-[a-z]+)*$/,
    value: /(?:^|\s)-/,
  },
  svg: {
    kind: 'element',
    clients: ALL_CLIENTS,
    source: source('html-svg'),
    selector: 'svg',
    action: 'remove',
  },
  svg_images: {
    kind: 'element',
    clients: ALL_CLIENTS,
    source: source('image-svg'),
    selector: 'img[src$=".svg" i], img[src*=".svg?" i], img[src^="data:image/svg" i]',
    action: 'blank',
  },
  forms: {
    kind: 'element',
    clients: OUTLOOK,
    source: source('html-form'),
    selector: 'form',
    action: 'unwrap',
  },
  form_fields: {
    kind: 'element',
    clients: OUTLOOK,
    source: source('html-input-text'),
    selector: 'input, select, textarea',
    action: 'remove',
  },
  videos: {
    kind: 'element',
    clients: ALL_CLIENTS,
    source: source('html-video'),
    selector: 'video',
    action: 'unwrap',
  },
} as const satisfies Record<string, ClientRule>;

export type ClientRuleName = keyof typeof CLIENT_RULES;

export function listClientRules(client: MailClient): [ClientRuleName, ClientRule][] {
  const rules = Object.entries(CLIENT_RULES) as [ClientRuleName, ClientRule][];
  return rules.filter(([, { clients }]) => clients.includes(client));
}
