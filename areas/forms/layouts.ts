// The twelve layouts of new forms, each a finished design in four languages.
import {
  type FormBlock,
  type FormDocument,
  type FormType,
  type FormLayout,
  LAYOUTS,
  type Styles,
  STYLES,
  TEMPLATE_LANGUAGES,
} from '#embed/forms/shared/document.ts';
import { defaultTexts } from './default-texts.ts';
import eng from '../../locales/eng/form-layouts.content.json' with { type: 'json' };
import lit from '../../locales/lit/form-layouts.content.json' with { type: 'json' };
import pol from '../../locales/pol/form-layouts.content.json' with { type: 'json' };
import spa from '../../locales/spa/form-layouts.content.json' with { type: 'json' };

export type TemplateLanguage = (typeof TEMPLATE_LANGUAGES)[number];

/** Strings of the layouts, in locales/<lang>/form-layouts.content.json. */
const LAYOUT_TEXTS: Record<TemplateLanguage, typeof eng> = { eng, lit, pol, spa };

export function listLayouts(type: FormType): readonly FormLayout[] {
  return LAYOUTS[type];
}

export function isLayoutOf(type: FormType, layout: string): layout is FormLayout {
  return (LAYOUTS[type] as readonly string[]).includes(layout);
}

const field = (
  id: string,
  labels: { label: string; placeholder: string },
  fieldKind: 'email' | 'text' | 'phone',
  isRequired: boolean,
  half = false,
): FormBlock => ({
  id,
  kind: 'field',
  field: id,
  as: fieldKind,
  ...labels,
  required: isRequired,
  options: [],
  value: '',
  half,
});

/**
 * Styles of a layout that differ from the defaults: calm colors, and an accent that contrasts with
 * the text of its button.
 */
const STYLES_OF: Partial<Record<FormLayout, Partial<Styles>>> = {
  card: {},
  'picture-start': {
    button: '#1f6f5c',
    radius: 16,
    borderWidth: 0,
    buttonRadius: 8,
    fieldRadius: 8,
  },
  'picture-top': {
    button: '#b0413e',
    radius: 16,
    borderWidth: 0,
    align: 'center',
    headingSize: 28,
    buttonRadius: 24,
    fieldRadius: 24,
  },
  'picture-behind': {
    button: '#1b1d22',
    radius: 16,
    borderWidth: 0,
    buttonRadius: 8,
    fieldRadius: 8,
  },
  corner: {
    width: 400,
    headingSize: 20,
    button: '#c2255c',
    radius: 16,
    borderColour: '#f3d1de',
    heading: '#6d1435',
    colour: '#5c4650',
    buttonRadius: 8,
    fieldRadius: 8,
  },
  bar: {
    width: 1200,
    background: '#1b1d22',
    colour: '#d9dbe2',
    heading: '#ffffff',
    headingSize: 18,
    radius: 0,
    borderWidth: 0,
    button: '#ffd166',
    buttonColour: '#1b1d22',
    fieldBorder: '#5b606b',
  },
  full: {
    width: 1200,
    // The background color of this layout's picture.
    background: '#e9edf9',
    colour: '#434968',
    heading: '#1c2350',
    headingSize: 40,
    align: 'center',
    radius: 0,
    borderWidth: 0,
    buttonRadius: 24,
    fieldRadius: 24,
  },
  'two-steps': {
    background: '#f6f3ff',
    colour: '#4c4763',
    heading: '#2e2357',
    headingSize: 30,
    button: '#5a3fc0',
    buttonRadius: 12,
    fieldRadius: 12,
    radius: 20,
    borderWidth: 0,
    align: 'center',
  },
  stacked: {},
  row: {
    width: 720,
    shadow: false,
    background: '#eef6f1',
    borderWidth: 0,
    radius: 16,
    heading: '#173f34',
    colour: '#3d5a50',
    button: '#1f6f5c',
    fieldBorder: '#7c9a8f',
  },
  'wheel-beside': {
    width: 480,
    background: '#fff7ec',
    borderColour: '#f2c078',
    button: '#c2410c',
    radius: 16,
    heading: '#7c2d12',
    colour: '#6b3f26',
  },
  'wheel-above': {
    width: 420,
    background: '#eef2ff',
    borderColour: '#c7d2fe',
    button: '#4338ca',
    radius: 16,
    align: 'center',
    heading: '#312e81',
    colour: '#3f3d63',
  },
};

/** Names of the product's illustrations, which the content area serves. */
const IMAGES: Partial<Record<FormLayout, string>> = {
  'picture-start': 'blossom',
  'picture-top': 'gifts',
  'picture-behind': 'hills',
  full: 'letter',
};

/**
 * Creates the document of a new form. Each layout has a required email field.
 * @param origin the product's own origin, for the pictures of its layouts
 */
export function createFormDocument(
  layout: FormLayout,
  language: TemplateLanguage,
  origin: string,
): FormDocument {
  const texts = LAYOUT_TEXTS[language];
  const { thanks, thanksText } = defaultTexts(language);
  const code: FormBlock = { id: 'code', kind: 'code', text: texts.prizeText };
  return {
    version: 1,
    language,
    layout,
    steps: createSteps(layout, texts),
    success: isWheel(layout)
      ? [heading(texts.prize), code]
      : [heading(thanks), text(thanksText), ...(isOffer(layout) ? [code] : [])],
    picture: IMAGES[layout] ? { url: `${origin}/i/art/${IMAGES[layout]}.png`, alt: '' } : null,
    teaser: '',
    styles: { ...STYLES, ...STYLES_OF[layout] },
  };
}

const isWheel = (layout: FormLayout) => layout.startsWith('wheel');
const isOffer = (layout: FormLayout) =>
  ['picture-start', 'picture-top', 'corner', 'two-steps'].includes(layout);

const heading = (content: string): FormBlock => ({ id: 'heading', kind: 'heading', text: content });
const text = (content: string): FormBlock => ({ id: 'text', kind: 'text', text: content });
const button = (content: string): FormBlock => ({ id: 'button', kind: 'button', text: content });

type LayoutTexts = (typeof LAYOUT_TEXTS)[TemplateLanguage];

function createHead(layout: FormLayout, texts: LayoutTexts): FormBlock[] {
  if (isWheel(layout)) return [heading(texts.spin), text(texts.spinText)];
  return isOffer(layout)
    ? [heading(texts.offer), text(texts.offerText)]
    : [heading(texts.news), text(texts.newsText)];
}

function createSteps(layout: FormLayout, texts: LayoutTexts): FormDocument['steps'] {
  const isRow = layout === 'row';
  const hasName = isRow || layout === 'stacked' || layout === 'card';
  const hasDecline = isWheel(layout) || layout === 'full' || layout === 'picture-top';
  const firstName = { label: texts.first, placeholder: texts.firstHint };
  const terms: FormBlock = {
    id: 'terms',
    kind: 'consent',
    as: 'terms',
    text: texts.terms,
    required: true,
  };
  const blocks: FormBlock[] = [
    ...createHead(layout, texts),
    ...(hasName ? [field('firstname', firstName, 'text', false, isRow)] : []),
    field('email', { label: texts.email, placeholder: texts.emailHint }, 'email', true, isRow),
    ...(isWheel(layout) ? [terms] : []),
    button(isWheel(layout) ? texts.spinButton : layout === 'two-steps' ? texts.next : texts.join),
    ...(hasDecline ? [{ id: 'decline', kind: 'decline', text: texts.decline } as const] : []),
  ];
  const step = { id: 'one', blocks };
  return layout === 'two-steps' ? [step, createPhoneStep(texts)] : [step];
}

function createPhoneStep(texts: LayoutTexts): FormDocument['steps'][number] {
  const phone = field(
    'phone',
    { label: texts.phone, placeholder: texts.phoneHint },
    'phone',
    false,
  );
  const sms: FormBlock = {
    id: 'sms',
    kind: 'consent',
    as: 'sms',
    text: texts.sms,
    required: false,
  };
  const blocks = [heading(texts.offer), phone, sms, button(texts.join)];
  return { id: 'two', blocks: blocks.map((block) => ({ ...block, id: `${block.id}-2` })) };
}

/** Slice colors that match the rest of their layout. */
const WARM = ['#c2410c', '#fed7aa', '#ea580c', '#fdba74', '#9a3412', '#ffedd5'];
const INDIGO = ['#4338ca', '#e0e7ff', '#6d28d9', '#c7d2fe', '#312e81', '#ede9fe'];

/** Creates the slices of a new wheel. */
export function createSlices(language: TemplateLanguage, layout: FormLayout) {
  const texts = LAYOUT_TEXTS[language];
  const colors = layout === 'wheel-above' ? INDIGO : WARM;
  const formatDiscount = (n: number) => texts.off.replace('{n}', String(n));
  const firstSlices: [label: string, code: string, weight: number][] = [
    [formatDiscount(5), 'SPIN5', 30],
    [texts.nothing, '', 25],
    [formatDiscount(10), 'SPIN10', 20],
    [texts.free, 'SPINFREE', 15],
    [formatDiscount(20), 'SPIN20', 5],
    [texts.nothing, '', 5],
  ];
  return firstSlices.map(([label, coupon_code, weight], index) => ({
    label,
    coupon_code,
    is_losing: coupon_code === '',
    weight,
    uses_stock: false,
    stock: index,
    colour: colors[index] ?? '#c2410c',
  }));
}
