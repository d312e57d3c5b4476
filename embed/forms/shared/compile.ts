// Compiles a form's document into element trees and one style sheet. The builder's canvas, the
// preview, the hosted page and customers' sites all use this pure function. No text of the author
// is parsed as HTML or inserted into the style sheet unchecked (see style-sheet.ts), and only
// http(s) URLs are used.
import type {
  FormBlock,
  FormFieldBlock,
  FormFieldRule,
  FormDocument,
  FormType,
  MarkupTree,
} from './document.ts';
import { LIMITS } from './document.ts';
import { pixels, renderStyleSheet } from './style-sheet.ts';

export function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s"'<>]+$/i.test(text);
}

/** `[words](https://…)` becomes a link; everything else is text. */
export function textToTrees(text: string): MarkupTree[] {
  const trees: MarkupTree[] = [];
  let last = 0;
  for (const marker of text.matchAll(/\[([^[\]\n]{1,500})\]\(([^)\s]{1,2000})\)/g)) {
    const [whole, label = '', address = ''] = marker;
    if (!isWebAddress(address)) continue;
    if (marker.index > last) trees.push(text.slice(last, marker.index));
    trees.push(['a', { href: address, target: '_blank', rel: 'noopener' }, label]);
    last = marker.index + whole.length;
  }
  if (last < text.length) trees.push(text.slice(last));
  return trees;
}

export type CompiledForm = {
  css: string;
  steps: MarkupTree[];
  success: MarkupTree;
  rules: FormFieldRule[];
};

export type CompileOptions = {
  type: FormType;
  /** Titles of the groups that a subscriber may choose from. */
  interests: { id: string; title: string }[];
};

export function compileForm(document: FormDocument, options: CompileOptions): CompiledForm {
  const rules = listFieldRules(document, options);
  const last = document.steps.length - 1;
  return {
    css: renderStyleSheet(document.styles, document.layout, options.type),
    steps: document.steps.map((step, i) => stepTree(document, step.blocks, options, i < last)),
    success: [
      'div',
      { class: 'sender-form-els', role: 'status' },
      ...document.success.map((block) => blockTree(block, options)),
    ],
    rules,
  };
}

/** Lists the rules of the fields that the form submits. */
export function listFieldRules(
  document: FormDocument,
  { interests }: CompileOptions,
): FormFieldRule[] {
  return document.steps.flatMap(({ blocks }) =>
    blocks.flatMap((block): FormFieldRule[] => {
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

/** Returns the allowed options of a field, or its bounds and pattern. */
function boundsOf(block: FormFieldBlock): Partial<FormFieldRule> {
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
  blocks: FormBlock[],
  options: CompileOptions,
  isBefore: boolean,
): MarkupTree {
  const { picture, layout } = document;
  const children: MarkupTree[] = [];
  for (let i = 0; i < blocks.length; i++) {
    const block = blocks[i] as FormBlock;
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
  const form: MarkupTree = [
    'form',
    { class: 'sender-form', novalidate: '', ...(isBefore ? { 'data-before': '' } : {}) },
    ['div', { class: 'sender-form-els' }, ...children],
    ['p', { class: 'sender-form-fault', role: 'alert', 'data-fault': 'form' }],
  ];
  const canShowPicture = layout.startsWith('picture') || layout === 'full';
  const shows = picture && canShowPicture && isWebAddress(picture.url);
  if (!shows) return ['div', { class: 'sender-form-box' }, form];
  const image: MarkupTree = [
    'img',
    { class: 'sender-form-picture', src: picture.url, alt: picture.alt },
  ];
  return ['div', { class: 'sender-form-box' }, image, form];
}

function blockTree(block: FormBlock, options: CompileOptions): MarkupTree {
  const attributes = { 'data-block': block.id };
  switch (block.kind) {
    case 'heading':
      return ['h2', { class: 'sender-form-title', ...attributes }, ...textToTrees(block.text)];
    case 'text':
      return ['p', { class: 'sender-form-text', ...attributes }, ...textToTrees(block.text)];
    case 'image':
      return isWebAddress(block.url)
        ? ['img', { class: 'sender-form-image', src: block.url, alt: block.alt, ...attributes }]
        : ['div', { class: 'sender-form-image empty', ...attributes }];
    case 'divider':
      return ['hr', attributes];
    case 'spacer':
      return [
        'div',
        { class: `space-${Math.round(pixels(block.height, 200) / 8) * 8}`, ...attributes },
      ];
    case 'field':
      return fieldTree(block, attributes);
    case 'interests':
      return [
        'fieldset',
        { class: 'sender-form-field', ...attributes },
        ['legend', {}, block.label],
        ...options.interests.map(({ id, title }) => box('checkbox', 'interests', id, [title])),
        fault('interests'),
      ];
    case 'consent':
      return [
        'div',
        { class: 'sender-form-field consent', ...attributes },
        box('checkbox', `consent_${block.as}`, '1', textToTrees(block.text)),
        fault(`consent_${block.as}`),
      ];
    case 'button':
      return ['button', { class: 'sender-form-button', type: 'submit', ...attributes }, block.text];
    case 'decline':
      return [
        'button',
        { class: 'sender-form-decline', type: 'button', 'data-act': 'close', ...attributes },
        block.text,
      ];
    case 'code':
      return [
        'p',
        { class: 'sender-form-code', ...attributes },
        block.text,
        ' ',
        ['output', { 'data-part': 'code' }],
      ];
  }
}

const fault = (key: string): MarkupTree => [
  'p',
  { class: 'sender-form-fault', role: 'alert', 'data-fault': key },
];

function box(
  type: 'checkbox' | 'radio',
  name: string,
  value: string,
  label: MarkupTree[],
): MarkupTree {
  return ['label', { class: 'box' }, ['input', { type, name, value }], ['span', {}, ...label]];
}

const INPUTS: Record<string, Record<string, string>> = {
  email: { type: 'email', inputmode: 'email', autocomplete: 'email' },
  phone: { type: 'tel', inputmode: 'tel', autocomplete: 'tel' },
  number: { type: 'text', inputmode: 'decimal' },
  url: { type: 'url', inputmode: 'url' },
  // The browser's own date picker, which returns YYYY-MM-DD.
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

function fieldTree(
  block: Extract<FormBlock, { kind: 'field' }>,
  attributes: Record<string, string>,
): MarkupTree {
  const { field, as, label, placeholder, required, options, value } = block;
  if (as === 'hidden') return ['input', { type: 'hidden', name: field, value, 'data-query': '' }];
  const mark: MarkupTree[] = required
    ? [['span', { class: 'mark', 'aria-hidden': 'true' }, ' *']]
    : [];
  if (as === 'choices') {
    return [
      'fieldset',
      { class: 'sender-form-field', ...attributes },
      ['legend', {}, label, ...mark],
      ...options.map((option) => box('checkbox', field, option, [option])),
      fault(field),
    ];
  }
  const requiredAttributes: Record<string, string> = required ? { 'aria-required': 'true' } : {};
  const input: MarkupTree =
    as === 'select'
      ? [
          'select',
          { name: field, class: 'sender-form-input', ...requiredAttributes },
          ['option', { value: '' }, placeholder],
          ...options.map((option): MarkupTree => ['option', { value: option }, option]),
        ]
      : [
          'input',
          {
            ...INPUTS[as],
            ...(AUTOCOMPLETE[field] ? { autocomplete: AUTOCOMPLETE[field] } : {}),
            name: field,
            class: `sender-form-input sender-form-input-${field}`,
            placeholder: placeholder || (HINTS[as] ?? ''),
            ...requiredAttributes,
          },
        ];
  const labelTree: MarkupTree = label
    ? ['span', { class: 'label' }, label, ...mark]
    : ['span', { class: 'label quiet' }, placeholder || field];
  return ['label', { class: 'sender-form-field', ...attributes }, labelTree, input, fault(field)];
}
