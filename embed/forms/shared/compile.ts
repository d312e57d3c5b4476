// Compiles a form's document into element trees and one style sheet. One pure function for the
// builder's canvas, the preview, the hosted page and customers' sites. Nothing is ever parsed as
// HTML, colors and numbers enter the style sheet only by pattern, and URLs only as http(s).
import type {
  Block,
  FieldBlock,
  FieldRule,
  FormDocument,
  FormType,
  Layout,
  Styles,
  Tree,
} from './document.ts';
import { LIMITS, STYLES } from './document.ts';
import { withOwnName } from './fonts.ts';
import { inkOn } from './readable-color.ts';

const COLOR = /^#[0-9a-f]{3,8}$/i;
const FONT = /^[\w '",.-]{1,200}$/;
const color = (value: string, fallback: string) => (COLOR.test(value) ? value : fallback);
const pixels = (value: number, max: number) =>
  Math.round(Math.min(max, Math.max(0, Number(value) || 0)));

export function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s"'<>]+$/i.test(text);
}

/** `[words](https://…)` becomes a link; everything else is text. */
export function textToTrees(text: string): Tree[] {
  const trees: Tree[] = [];
  let last = 0;
  for (const found of text.matchAll(/\[([^[\]\n]{1,500})\]\(([^)\s]{1,2000})\)/g)) {
    const [whole, label = '', address = ''] = found;
    if (!isWebAddress(address)) continue;
    if (found.index > last) trees.push(text.slice(last, found.index));
    trees.push(['a', { href: address, target: '_blank', rel: 'noopener' }, label]);
    last = found.index + whole.length;
  }
  if (last < text.length) trees.push(text.slice(last));
  return trees;
}

export type Compiled = {
  css: string;
  steps: Tree[];
  success: Tree;
  rules: FieldRule[];
};

export type CompileOptions = {
  type: FormType;
  /** Titles of the groups that a subscriber may choose from. */
  interests: { id: string; title: string }[];
};

export function compileForm(document: FormDocument, options: CompileOptions): Compiled {
  const rules = rulesOf(document, options);
  const last = document.steps.length - 1;
  return {
    css: styleSheet(document.styles, document.layout, options.type),
    steps: document.steps.map((step, i) => stepTree(document, step.blocks, options, i < last)),
    success: [
      'div',
      { class: 'sender-form-els', role: 'status' },
      ...document.success.map((block) => blockTree(block, options)),
    ],
    rules,
  };
}

/** The fields that the form submits, with their rules. */
export function rulesOf(document: FormDocument, { interests }: CompileOptions): FieldRule[] {
  return document.steps.flatMap(({ blocks }) =>
    blocks.flatMap((block): FieldRule[] => {
      if (block.kind === 'field') {
        return [{ key: block.field, as: block.as, required: block.required, ...boundsOf(block) }];
      }
      if (block.kind === 'interests') {
        return [
          {
            key: 'interests',
            as: 'interests',
            required: false,
            options: interests.map(({ id }) => id),
          },
        ];
      }
      if (block.kind === 'consent') {
        return [{ key: `consent_${block.as}`, as: 'consent', required: block.required }];
      }
      return [];
    }),
  );
}

/** The allowed options of a field, or its bounds. */
function boundsOf(block: FieldBlock): Partial<FieldRule> {
  const { field, as, options, min, max, minLength, maxLength, pattern } = block;
  if (as === 'select' || as === 'choices') return { options };
  const isName = field === 'firstname' || field === 'lastname';
  const limit = maxLength ?? (isName ? LIMITS.name : undefined);
  return {
    ...(as === 'number' && min !== undefined ? { min } : {}),
    ...(as === 'number' && max !== undefined ? { max } : {}),
    ...(as === 'text' && minLength !== undefined ? { minLength } : {}),
    ...(as === 'text' && limit !== undefined ? { maxLength: limit } : {}),
    ...(as === 'text' && pattern ? { pattern } : {}),
  };
}

function stepTree(
  document: FormDocument,
  blocks: Block[],
  options: CompileOptions,
  isBefore: boolean,
): Tree {
  const { picture, layout } = document;
  const children: Tree[] = [];
  for (let i = 0; i < blocks.length; i++) {
    const block = blocks[i] as Block;
    const next = blocks[i + 1];
    if (block.kind === 'field' && block.half && next?.kind === 'field' && next.half) {
      children.push([
        'div',
        { class: 'sender-form-flex' },
        blockTree(block, options),
        blockTree(next, options),
      ]);
      i += 1;
    } else {
      children.push(blockTree(block, options));
    }
  }
  const form: Tree = [
    'form',
    { class: 'sender-form', novalidate: '', ...(isBefore ? { 'data-before': '' } : {}) },
    ['div', { class: 'sender-form-els' }, ...children],
    ['p', { class: 'sender-form-fault', role: 'alert', 'data-fault': 'form' }],
  ];
  const canShowPicture = layout.startsWith('picture') || layout === 'full';
  const shows = picture && canShowPicture && isWebAddress(picture.url);
  if (!shows) return ['div', { class: 'sender-form-box' }, form];
  const image: Tree = ['img', { class: 'sender-form-picture', src: picture.url, alt: picture.alt }];
  return ['div', { class: 'sender-form-box' }, image, form];
}

function blockTree(block: Block, options: CompileOptions): Tree {
  const at = { 'data-block': block.id };
  switch (block.kind) {
    case 'heading':
      return ['h2', { class: 'sender-form-title', ...at }, ...textToTrees(block.text)];
    case 'text':
      return ['p', { class: 'sender-form-text', ...at }, ...textToTrees(block.text)];
    case 'image':
      return isWebAddress(block.url)
        ? ['img', { class: 'sender-form-image', src: block.url, alt: block.alt, ...at }]
        : ['div', { class: 'sender-form-image empty', ...at }];
    case 'divider':
      return ['hr', at];
    case 'spacer':
      return ['div', { class: `space-${Math.round(pixels(block.height, 200) / 8) * 8}`, ...at }];
    case 'field':
      return fieldTree(block, at);
    case 'interests':
      return [
        'fieldset',
        { class: 'sender-form-field', ...at },
        ['legend', {}, block.label],
        ...options.interests.map(({ id, title }) => box('checkbox', 'interests', id, [title])),
        fault('interests'),
      ];
    case 'consent':
      return [
        'div',
        { class: 'sender-form-field consent', ...at },
        box('checkbox', `consent_${block.as}`, '1', textToTrees(block.text)),
        fault(`consent_${block.as}`),
      ];
    case 'button':
      return ['button', { class: 'sender-form-button', type: 'submit', ...at }, block.text];
    case 'decline':
      return [
        'button',
        { class: 'sender-form-decline', type: 'button', 'data-act': 'close', ...at },
        block.text,
      ];
    case 'code':
      return [
        'p',
        { class: 'sender-form-code', ...at },
        block.text,
        ' ',
        ['output', { 'data-part': 'code' }],
      ];
  }
}

const fault = (key: string): Tree => [
  'p',
  { class: 'sender-form-fault', role: 'alert', 'data-fault': key },
];

function box(type: 'checkbox' | 'radio', name: string, value: string, label: Tree[]): Tree {
  return ['label', { class: 'box' }, ['input', { type, name, value }], ['span', {}, ...label]];
}

const INPUTS: Record<string, Record<string, string>> = {
  email: { type: 'email', inputmode: 'email', autocomplete: 'email' },
  phone: { type: 'tel', inputmode: 'tel', autocomplete: 'tel' },
  number: { type: 'text', inputmode: 'decimal' },
  url: { type: 'url', inputmode: 'url' },
  // The browser's own date picker, which gives YYYY-MM-DD.
  datetime: { type: 'date' },
  'datetime-local': { type: 'datetime-local' },
  time: { type: 'time' },
  // Browsers without a month picker show a text field.
  month: { type: 'month' },
  // A browser's color picker has no empty state: black would be submitted without a choice.
  color: { type: 'text' },
  text: { type: 'text' },
};
/** Placeholders where the author set none. */
const HINTS: Record<string, string> = { color: '#rrggbb', month: 'YYYY-MM' };
const AUTOCOMPLETE: Record<string, string> = { firstname: 'given-name', lastname: 'family-name' };

function fieldTree(block: Extract<Block, { kind: 'field' }>, at: Record<string, string>): Tree {
  const { field, as, label, placeholder, required, options, value } = block;
  if (as === 'hidden') return ['input', { type: 'hidden', name: field, value, 'data-query': '' }];
  const mark: Tree[] = required ? [['span', { class: 'mark', 'aria-hidden': 'true' }, ' *']] : [];
  if (as === 'choices') {
    return [
      'fieldset',
      { class: 'sender-form-field', ...at },
      ['legend', {}, label, ...mark],
      ...options.map((option) => box('checkbox', field, option, [option])),
      fault(field),
    ];
  }
  const needed: Record<string, string> = required ? { 'aria-required': 'true' } : {};
  const input: Tree =
    as === 'select'
      ? [
          'select',
          { name: field, class: 'sender-form-input', ...needed },
          ['option', { value: '' }, placeholder],
          ...options.map((option): Tree => ['option', { value: option }, option]),
        ]
      : [
          'input',
          {
            ...INPUTS[as],
            ...(AUTOCOMPLETE[field] ? { autocomplete: AUTOCOMPLETE[field] } : {}),
            name: field,
            class: `sender-form-input sender-form-input-${field}`,
            placeholder: placeholder || (HINTS[as] ?? ''),
            ...needed,
          },
        ];
  const labelTree: Tree = label
    ? ['span', { class: 'label' }, label, ...mark]
    : ['span', { class: 'label quiet' }, placeholder || field];
  return ['label', { class: 'sender-form-field', ...at }, labelTree, input, fault(field)];
}

/** Two wheel layouts show the wheel beside or above; corner and bar do not cover the page. */
function styleSheet(styles: Styles, layout: Layout, type: FormType): string {
  const s = { ...STYLES, ...styles };
  const font = FONT.test(s.font) ? withOwnName(s.font) : 'inherit';
  const c = (key: keyof Styles) => color(String(s[key]), String(STYLES[key]));
  const px = (key: keyof Styles, max: number) => `${pixels(Number(s[key]), max)}px`;
  const weight = (key: 'textWeight' | 'headingWeight' | 'buttonWeight') =>
    Math.round(Math.min(900, Math.max(100, Number(s[key]) || 400)) / 100) * 100;
  const faultInk = inkOn(c('background'), ['#b3231b', '#ffb4ab', '#6b0f08', '#ffffff']);
  const headingFont =
    s.headingFont && FONT.test(s.headingFont) ? `;font-family:${withOwnName(s.headingFont)}` : '';
  const align = s.align === 'center' ? 'center' : 'start';
  const isPopup = type !== 'embed';
  const wide =
    layout === 'picture-start' || layout === 'picture-behind' || layout === 'wheel-beside';
  const width = `${pixels(s.width, 1200) * (wide ? 1.6 : 1)}px`;
  return [
    `*{box-sizing:border-box}`,
    `.sender-form-box{position:relative;display:flex;flex-direction:${wide ? 'row' : 'column'};width:100%;max-width:${layout === 'full' || layout === 'bar' ? 'none' : width};margin:${isPopup ? '0' : '0 auto'};background:${c('background')};color:${c('colour')};border:${px('borderWidth', 40)} solid ${c('borderColour')};border-radius:${px('radius', 100)};overflow:auto;max-height:100%;font-family:${font};font-size:${px('textSize', 40)};font-weight:${weight('textWeight')};line-height:1.5;text-align:${align}${s.shadow && isPopup ? ';box-shadow:0 8px 40px #0000002e' : ''}}`,
    `.sender-form{flex:1 1 0;min-width:0;margin:0;padding:${layout === 'bar' ? '12px' : '28px'};${layout === 'bar' ? 'padding-inline:16px 56px' : ''}}`,
    `.sender-form-els{display:flex;flex-direction:${layout === 'row' || layout === 'bar' ? 'row' : 'column'};flex-wrap:wrap;gap:${px('spacing', 80)};align-items:${layout === 'row' || layout === 'bar' ? 'end' : 'stretch'}}`,
    layout === 'row' || layout === 'bar'
      ? `.sender-form-els>*{flex:1 1 180px;margin:0}.sender-form-els>.sender-form-button{flex:0 1 auto;width:auto}.sender-form-els>.sender-form-title,.sender-form-els>p{flex:1 1 100%}${layout === 'bar' ? '.sender-form-els>.sender-form-title,.sender-form-els>p{flex:1 1 140px;align-self:center}.sender-form-els>.sender-form-text{flex:2 1 200px}' : ''}`
      : '',
    `.sender-form-title{margin:0;color:${c('heading')};font-size:${px('headingSize', 80)};line-height:1.2;font-weight:${weight('headingWeight')}${headingFont}}`,
    // Beside the close button.
    isPopup && ['card', 'picture-start', 'corner', 'two-steps'].includes(layout)
      ? `.sender-form-els>.sender-form-title:first-child{padding-inline:${align === 'center' ? '20px' : '0'} 20px}`
      : '',
    `.sender-form-text,.sender-form-code{margin:0;white-space:pre-line}`,
    `.sender-form-code output{display:block;margin-top:8px;padding:12px;border:2px dashed currentColor;border-radius:8px;font-size:1.25em;font-weight:700;letter-spacing:.06em;text-align:center}.sender-form-code output:empty{display:none}.sender-form-prize{display:block;margin-top:8px;color:${c('heading')};font-size:1.25em;font-weight:700}.sender-form-copy{display:block;min-height:40px;margin:8px auto 0;padding:8px 16px;background:none;color:inherit;border:1px solid currentColor;border-radius:${px('buttonRadius', 60)};font:inherit;cursor:pointer}`,
    `a{color:inherit;text-decoration:underline}`,
    `hr{width:100%;margin:0;border:0;border-top:1px solid ${c('borderColour')}}`,
    ...[...Array(26).keys()].map((i) => `.space-${i * 8}{height:${i * 8}px}`),
    `.sender-form-image{display:block;max-width:100%;height:auto;border-radius:4px}.sender-form-image.empty{min-height:120px;background:#00000012}`,
    `.sender-form-picture{display:block;object-fit:cover;${layout === 'picture-start' ? 'width:40%;min-height:100%' : layout === 'picture-behind' ? 'position:absolute;inset:0;width:100%;height:100%;z-index:0' : 'width:100%;height:220px'}}`,
    layout === 'full'
      ? '.sender-form-picture{flex:none;width:min(560px,100%);height:auto;aspect-ratio:16/9;margin:auto auto 0}'
      : '',
    layout === 'picture-behind'
      ? `.sender-form{position:relative;z-index:1;margin:24px auto 24px 24px;max-width:${px('width', 1200)};background:${c('background')};border-radius:${px('radius', 100)}}`
      : '',
    `.sender-form-flex{display:flex;gap:12px}.sender-form-flex>*{flex:1 1 0;min-width:0}`,
    `.sender-form-field{display:flex;flex-direction:column;gap:6px;min-width:0;margin:0;padding:0;border:0;text-align:start}`,
    `.label,legend{padding:0;font-weight:500;color:${c('heading')}}.label.quiet{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}`,
    // Phones zoom into fields with text smaller than 16 px.
    `.sender-form-input{width:100%;min-height:44px;padding:8px 12px;background:${c('fieldBackground')};color:${c('fieldColour')};border:${px('fieldBorderWidth', 20)} solid ${c('fieldBorder')};border-radius:${px('fieldRadius', 60)};${s.fieldShadow ? 'box-shadow:0 1px 4px #00000026;' : ''}font-family:inherit;font-size:max(16px,1em);line-height:1.4}`,
    // Addresses and numbers are left-to-right also in right-to-left languages.
    `input[type=email],input[type=tel],input[type=url]{unicode-bidi:plaintext}`,
    `.sender-form-input[aria-invalid]{border-color:${inkOn(c('fieldBackground'), ['#c4261d', '#ffb4ab', '#ffffff'])}}`,
    `.box{display:flex;gap:10px;align-items:start;padding:4px 0;cursor:pointer}.box input{flex:none;width:20px;height:20px;margin:2px 0 0}.consent{font-size:.875em}`,
    `.sender-form-button{${s.buttonFull && layout !== 'bar' ? 'width:100%;' : `align-self:${layout === 'bar' ? 'end' : align};`}min-height:44px;padding:10px 20px;background:${c('button')};color:${c('buttonColour')};border:${px('buttonBorderWidth', 20)} solid ${c('buttonBorderColour')};border-radius:${px('buttonRadius', 60)};${s.buttonShadow ? 'box-shadow:0 3px 10px #00000033;' : ''}font:inherit;font-weight:${weight('buttonWeight')};cursor:pointer}`,
    `.sender-form-button:hover{filter:brightness(.92)}.sender-form-button:active{filter:brightness(.85)}.sender-form-input:hover{border-color:${c('fieldColour')}}.sender-form-close:hover{background-color:#7f7f7f33}`,
    `.sender-form-button[aria-busy]{opacity:.6;cursor:progress}`,
    `.sender-form-decline{align-self:center;padding:4px 8px;background:none;border:0;color:inherit;font:inherit;text-decoration:underline;cursor:pointer}`,
    `:focus-visible{outline:3px solid ${c('button')};outline-offset:2px}.sender-form-box:focus-visible,[role=status]:focus-visible{outline:none}`,
    `.sender-form-fault{margin:0;color:${faultInk};font-size:.875em}.sender-form-fault:empty{display:none}`,
    `.sender-form-close{position:absolute;top:4px;inset-inline-end:4px;z-index:2;width:40px;height:40px;padding:0;background:radial-gradient(circle,${c('background')} 15px,#00000026 15.5px,#0000 17px);border:0;border-radius:50%;color:${c('heading')};font:24px/1 system-ui;cursor:pointer}`,
    `.sender-modal-background{position:fixed;inset:0;background:${c('overlay')}}`,
    `.sender-form-captcha{display:block;max-width:100%;border:0}`,
    `.trap{position:absolute;inset-inline-start:-9999px;width:1px;height:1px;overflow:hidden}`,
    `.wheel{flex:0 0 auto;width:min(${layout === 'wheel-above' ? '280px' : '320px'},70vw);margin:${layout === 'wheel-above' ? '20px auto -8px' : 'auto'};${layout === 'wheel-above' ? '' : 'margin-inline:0 28px;'}aspect-ratio:1}`,
    `@media (max-width:640px){.sender-form-box{flex-direction:column;max-width:100%}.sender-form{max-width:none;margin:0}.sender-form-picture{width:100%;min-height:0;position:static;height:160px}.sender-form-flex{flex-direction:column}.wheel{order:-1;margin:20px auto 0;width:min(220px,60vw)}${layout === 'bar' ? '.sender-form-els{gap:8px}.sender-form-els>.sender-form-button{flex:1 1 100%}' : ''}}`,
    `@media (prefers-reduced-motion:reduce){*{transition:none!important;animation:none!important}}`,
  ].join('');
}
