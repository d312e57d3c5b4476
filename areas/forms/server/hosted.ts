// The form as a separate page, which works without script: the same markup as on sites, with all
// steps on one page, because a visitor without script could not reach the next step.
import { createHash } from 'node:crypto';
import { ISO, type Snapshot, type MarkupTree } from '#embed/forms/shared/document.ts';
import {
  type InboxLink,
  type SuccessNote,
  type ShownPrize,
  renderSuccess,
} from '#embed/forms/shared/success.ts';
import { TRAP } from '#embed/forms/shared/honeypot.ts';
import { renderWheel } from '#embed/forms/shared/wheel.ts';
import { escapeHtml } from '#platform/server/http/public-page.ts';
import type { PagePolicy } from '#platform/server/http/page-policy.ts';

/**
 * The script of the page, which computes the proof of work, reports the first input and spins the
 * wheel.
 */
export const HOSTED_SCRIPT = '/f/r/hosted.js';

const VOID = new Set(['img', 'input', 'hr']);

export function renderTree(tree: MarkupTree): string {
  if (typeof tree === 'string') return escapeHtml(tree);
  const [tag, attributes, ...children] = tree;
  const attributeText = Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeHtml(value)}"`)
    .join('');
  if (VOID.has(tag)) return `<${tag}${attributeText}>`;
  return `<${tag}${attributeText}>${children.map(renderTree).join('')}</${tag}>`;
}

const PAGE_STYLES =
  'body{margin:0;font:16px/1.5 system-ui,sans-serif;min-height:100vh;display:grid;place-items:center;padding:24px;background:#f7f7f5}main{width:100%}main .sender-form-box{margin:0 auto}.sender-form-els+.sender-form-els{margin-top:16px}';

type SubmittedValues = Readonly<Record<string, unknown>>;

export type HostedPage = { html: string; policy: PagePolicy };

export type HostedForm = {
  title: string;
  /** The URL that the form posts to. */
  action: string;
  /** Unique per page view: repeated submissions of one page count once. */
  key: string;
  /** The query of the page's URL, for hidden fields. */
  query: SubmittedValues;
  /** CSS rules of its web fonts. */
  fonts: string;
  /** The URL where its script gets a challenge; omitted if no proof is needed. */
  challenge?: string | undefined;
  /** The frame of a third-party captcha, instead of the proof of work. */
  captcha?: string | undefined;
  /** `sent`: the success view; `errors`: messages by field, with the typed values. */
  outcome?:
    | {
        sent: true;
        prize?: ShownPrize | undefined;
        note?: SuccessNote | undefined;
        inbox?: InboxLink | undefined;
      }
    | { errors: Record<string, string>; answers: SubmittedValues }
    | undefined;
};

export function renderHostedPage(snapshot: Snapshot, form: HostedForm): HostedPage {
  const style = `${PAGE_STYLES}${snapshot.css}${form.fonts}`;
  const { outcome } = form;
  const content =
    outcome && 'sent' in outcome
      ? createSuccessForm(snapshot, outcome)
      : createFormTree(snapshot, form);
  const prize = outcome && 'sent' in outcome ? outcome.prize : undefined;
  const box = renderTree(createBoxTree(snapshot, content, prize?.slice));
  const html = `<!doctype html>
<html lang="${ISO[snapshot.language]}" dir="${snapshot.direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(form.title)}</title><style>${style}</style></head><body><main>${box}</main><script type="module" src="${HOSTED_SCRIPT}"></script></body></html>`;
  return {
    html,
    policy: {
      styles: [`'sha256-${createHash('sha256').update(style).digest('base64')}'`],
      scripts: ["'self'"],
      connectTargets: ["'self'"],
      ...(form.captcha ? { frames: ["'self'"] } : {}),
      images: ['https:', 'http:', 'data:'],
      ...(form.fonts ? { fonts: ["'self'"] } : {}),
      hasForms: true,
      ...(snapshot.redirect ? { formRedirectOrigins: [new URL(snapshot.redirect).origin] } : {}),
      framing: 'any',
    },
  };
}

/**
 * Creates the box of the first step, including pictures and the wheel; the layout determines where
 * the wheel is.
 */
function createBoxTree(
  { steps, wheel, layout }: Snapshot,
  content: MarkupTree,
  stop?: number,
): MarkupTree {
  const [first] = steps;
  const [, attributes, ...parts]: Exclude<MarkupTree, string> = isElement(first)
    ? first
    : ['div', {}];
  const images = parts.filter((part) => isElement(part) && part[0] === 'img');
  const wheelTrees = wheel ? [renderWheel(wheel, stop)] : [];
  return layout === 'wheel-above'
    ? ['div', attributes, ...wheelTrees, ...images, content]
    : ['div', attributes, ...images, content, ...wheelTrees];
}

const isElement = (tree: MarkupTree | undefined): tree is Exclude<MarkupTree, string> =>
  tree !== undefined && typeof tree !== 'string';

type ElementChange = (element: Exclude<MarkupTree, string>) => MarkupTree | undefined;

/** Maps each element with `change`; undefined removes it. */
function mapElements(trees: readonly MarkupTree[], change: ElementChange): MarkupTree[] {
  const mappedTrees: MarkupTree[] = [];
  for (const tree of trees) {
    const now = isElement(tree) ? change(tree) : tree;
    if (now === undefined) continue;
    if (!isElement(now)) mappedTrees.push(now);
    else {
      const [tag, attributes, ...children] = now;
      mappedTrees.push([tag, attributes, ...mapElements(children, change)]);
    }
  }
  return mappedTrees;
}

type SuccessParts = {
  prize?: ShownPrize | undefined;
  note?: SuccessNote | undefined;
  inbox?: InboxLink | undefined;
};

function createSuccessForm(snapshot: Snapshot, { prize, note, inbox }: SuccessParts): MarkupTree {
  const view = mapElements([renderSuccess(snapshot, prize, note)], (element) => {
    const [tag, attributes, ...children] = element;
    return tag === 'h2' ? ['h1', attributes, ...children] : element;
  });
  return ['div', { class: 'sender-form' }, ...view, ...(inbox ? [createInboxTree(inbox)] : [])];
}

const createInboxTree = ({ href, label }: InboxLink): MarkupTree => [
  'div',
  { class: 'sender-form-els' },
  ['p', { class: 'sender-form-text' }, ['a', { href, target: '_blank' }, label]],
];

function createFormTree(snapshot: Snapshot, form: HostedForm): MarkupTree {
  const { outcome, query } = form;
  const errors = outcome && 'errors' in outcome ? outcome.errors : {};
  const answers = outcome && 'errors' in outcome ? outcome.answers : {};
  const lastStep = snapshot.steps.length - 1;
  const content = snapshot.steps.flatMap((step, i) =>
    mapElements(listFormParts(step), (element) =>
      fillElement(element, { errors, answers, query, isFirst: i === 0, isLast: i === lastStep }),
    ),
  );
  const hidden = (name: string, value: string): MarkupTree => [
    'input',
    { type: 'hidden', name, value },
  ];
  return [
    'form',
    {
      class: 'sender-form',
      method: 'post',
      // The server validates, with messages in the form's language.
      novalidate: '',
      action: form.action,
      'data-form': snapshot.id,
      ...(form.challenge ? { 'data-challenge': form.challenge } : {}),
      ...(form.captcha ? { 'data-captcha': form.captcha } : {}),
    },
    ...content,
    ['div', { class: 'trap', 'aria-hidden': 'true' }, ['input', TRAP]],
    hidden('__version', String(snapshot.version)),
    hidden('__key', form.key),
    hidden('__proof', ''),
  ];
}

/** Lists the content of a step's form. */
function listFormParts(step: MarkupTree): MarkupTree[] {
  if (!isElement(step)) return [];
  const [, , ...parts] = step;
  const form = parts.filter(isElement).find(([tag]) => tag === 'form');
  const [, , ...inner] = form ?? ['form', {}];
  return inner;
}

type FilledValues = {
  errors: Record<string, string>;
  answers: SubmittedValues;
  query: SubmittedValues;
  isFirst: boolean;
  isLast: boolean;
};

/** Fills an element with errors, typed values and values from the URL. */
function fillElement(
  element: Exclude<MarkupTree, string>,
  values: FilledValues,
): MarkupTree | undefined {
  const [tag, attributes, ...children] = element;
  // A page has one main heading.
  if (tag === 'h2') return values.isFirst ? ['h1', attributes, ...children] : undefined;
  // A page cannot be closed, and only the last step has a submit button.
  if (attributes['data-act'] === 'close') return undefined;
  if (!values.isLast && (tag === 'button' || attributes['data-fault'] === 'form')) return undefined;
  const fault = values.errors[attributes['data-fault'] ?? ''];
  if (fault) return [tag, attributes, fault];
  if (tag === 'input') return [tag, { ...attributes, ...createInputState(attributes, values) }];
  if (tag === 'select') return fillSelect(element, values);
  return element;
}

/** Attributes of an input and its answer. */
function createInputState(
  attributes: Record<string, string>,
  { answers, errors, query }: FilledValues,
): Record<string, string> {
  const { name = '', type, value = '' } = attributes;
  const answer = answers[name];
  if ('data-query' in attributes) {
    const parameter = /^\{\{\s*([\w-]+)\s*\}\}$/.exec(value)?.[1];
    const fieldValue = answer ?? (parameter ? (query[parameter] ?? '') : value);
    return { value: toSingleText(fieldValue) };
  }
  const invalidAttributes = createInvalidState(errors[name]);
  if (type === 'checkbox' || type === 'radio') {
    const isOn = [answer].flat().includes(value);
    return { ...invalidAttributes, ...(isOn ? { checked: '' } : {}) };
  }
  return { ...invalidAttributes, ...(answer ? { value: toSingleText(answer) } : {}) };
}

function fillSelect(
  [tag, attributes, ...children]: Exclude<MarkupTree, string>,
  { answers, errors }: FilledValues,
): MarkupTree {
  const { name = '' } = attributes;
  const options = children.map((child): MarkupTree => {
    if (!isElement(child) || child[1].value !== answers[name]) return child;
    const [, own, ...content] = child;
    return ['option', { ...own, selected: '' }, ...content];
  });
  return [tag, { ...attributes, ...createInvalidState(errors[name]) }, ...options];
}

const createInvalidState = (error: string | undefined): Record<string, string> =>
  error ? { 'aria-invalid': 'true' } : {};

const toSingleText = (value: unknown): string =>
  typeof value === 'string' ? value : Array.isArray(value) ? toSingleText(value[0]) : '';
