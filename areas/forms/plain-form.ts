// Renders a form as HTML without a script, to be pasted into any page. It posts to the form's
// hosted page, which shows errors or the success message.
import type { FormBlock, FormFieldBlock, FormDocument } from '#embed/forms/shared/document.ts';
import { TRAP } from '#embed/forms/shared/honeypot.ts';

const escape = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** Renders links as their text only. */
const escapeWithoutLinks = (text: string) =>
  escape(text.replace(/\[([^[\]\n]{1,500})\]\([^)\s]{1,2000}\)/g, '$1'));

const TYPES: Partial<Record<FormFieldBlock['as'], string>> = {
  email: 'email',
  phone: 'tel',
  url: 'url',
  datetime: 'date',
  'datetime-local': 'datetime-local',
  time: 'time',
  month: 'month',
};

type PlainForm = {
  document: FormDocument;
  /** The URL of the hosted page. */
  action: string;
  /** The version of the form that is rendered; the server validates submissions against it. */
  version: number;
  /** Groups that visitors can choose. */
  interests: readonly { id: string; title: string }[];
};

export function renderPlainForm({ document, action, version, interests }: PlainForm): string {
  const blocks = document.steps.flatMap((step) => step.blocks);
  const button = blocks.findLast(({ kind }) => kind === 'button');
  const lines = blocks.flatMap((block) => renderLines(block, interests));
  return [
    `<form action="${escape(action)}" method="post">`,
    ...lines.map((line) => `  ${line}`),
    `  <input type="hidden" name="__version" value="${version}">`,
    // A field that visitors do not see: submissions that fill it are treated as bots.
    `  <input ${formatAttributes(TRAP)} hidden>`,
    `  <p><button>${escape(button?.kind === 'button' ? button.text : 'OK')}</button></p>`,
    '</form>',
  ].join('\n');
}

const formatAttributes = (attributes: Readonly<Record<string, string>>): string =>
  Object.entries(attributes)
    .map(([name, value]) => (value === '' ? name : `${name}="${escape(value)}"`))
    .join(' ');

function renderLines(block: FormBlock, interests: PlainForm['interests']): string[] {
  if (block.kind === 'heading') return [`<h2>${escapeWithoutLinks(block.text)}</h2>`];
  if (block.kind === 'text') return [`<p>${escapeWithoutLinks(block.text)}</p>`];
  if (block.kind === 'consent') {
    const name = `consent_${block.as}`;
    return [renderBox(name, '1', escapeWithoutLinks(block.text), block.required)];
  }
  if (block.kind === 'interests') {
    return [
      `<p>${escape(block.label)}</p>`,
      ...interests.map(({ id, title }) => renderBox('interests', id, escape(title), false)),
    ];
  }
  return block.kind === 'field' ? renderFieldLines(block) : [];
}

const renderBox = (name: string, value: string, label: string, isRequired: boolean) =>
  `<p><label><input type="checkbox" name="${escape(name)}" value="${escape(value)}"${isRequired ? ' required' : ''}> ${label}</label></p>`;

function renderFieldLines(block: FormFieldBlock): string[] {
  const { field, as, label, options, value, placeholder } = block;
  const name = `name="${escape(field)}"`;
  const requiredAttribute = block.required ? ' required' : '';
  const title = escape(label || placeholder || field);
  if (as === 'hidden') {
    // The form's script replaces `{{name}}` with a query parameter of the page; without a script it
    // would be submitted literally.
    return value.includes('{{') ? [] : [`<input type="hidden" ${name} value="${escape(value)}">`];
  }
  if (as === 'choices')
    return [
      `<p>${title}</p>`,
      ...options.map((option) => renderBox(field, option, escape(option), false)),
    ];
  if (as === 'select') {
    const optionElements = ['', ...options]
      .map((option) => `<option>${escape(option)}</option>`)
      .join('');
    return [
      `<p><label>${title}<br><select ${name}${requiredAttribute}>${optionElements}</select></label></p>`,
    ];
  }
  const type = TYPES[as] ?? 'text';
  return [`<p><label>${title}<br><input type="${type}" ${name}${requiredAttribute}></label></p>`];
}
