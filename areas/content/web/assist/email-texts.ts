// Extracts the text of an email for a language model, as plain text with merge tags, and writes the
// model's responses back. Inline formatting becomes markers, as in [[1]]bold[[/1]], so that no HTML
// from a model is used.
import { fromElements, splitTags, toElements } from '#platform/web/editing/rich/tags.ts';
import { type Block, DOCUMENT_LIMITS, type EmailDocument, type NodeId } from '../../document.ts';
import { changeBlock, findNode } from '../tree.ts';
import { fitsHtml, extractHtmlTexts, replaceHtmlTexts } from './html-texts.ts';

type Path = readonly (string | number)[];
/** rich: RichText; line: one line; plain: lines and paragraphs; html: a text of custom HTML. */
type TextKind = 'rich' | 'line' | 'plain' | 'html';

export interface EmailText {
  /** Null for the preview text of the email, and for text of an email without blocks. */
  node: NodeId | null;
  /**
   * Properties and indexes of the text's location in the block, such as `['rows', 0, 1]`; for
   * custom HTML, the text itself.
   */
  path: Path;
  kind: TextKind;
  value: string;
}

export interface SuggestedText extends EmailText {
  next: string;
}

const hasText = (value: string) => value.replace(/<[^<>]*>|&nbsp;/g, '').trim() !== '';

/** Lists the texts that subscribers read in a block, or in the whole email if `node` is null. */
export function listTexts(document: EmailDocument, node: NodeId | null): EmailText[] {
  if (node !== null) {
    const location = findNode(document, node);
    return location?.kind === 'block' ? listBlockTexts(location.block) : [];
  }
  const { preheader } = document.settings;
  const preheaderText: EmailText = { node: null, path: [], kind: 'line', value: preheader };
  return [
    ...(hasText(preheader) ? [preheaderText] : []),
    ...listBlocks(document).flatMap(listBlockTexts),
  ];
}

const listBlocks = ({ sections }: EmailDocument) =>
  sections.flatMap(({ columns }) => columns.flatMap(({ blocks }) => blocks));

/**
 * Returns whether a block or the whole email has text. Runs on each change of the document, so it
 * does not parse custom HTML.
 */
export function hasTexts(document: EmailDocument, node: NodeId | null): boolean {
  const hasBlockTexts = (block: Block) =>
    block.type === 'html' ? hasText(block.html) : listBlockTexts(block).length > 0;
  if (node === null)
    return hasText(document.settings.preheader) || listBlocks(document).some(hasBlockTexts);
  const location = findNode(document, node);
  return location?.kind === 'block' && hasBlockTexts(location.block);
}

function listBlockTexts(block: Block): EmailText[] {
  if (block.type === 'html') return listHtmlTexts(block.html, block.id);
  const { rich = [], lines = [] } = listPaths(block);
  const text = (kind: TextKind) => (path: Path) => {
    const value: unknown = path.reduce<unknown>((part, step) => Object(part)[step], block);
    return { node: block.id, path, kind, value: typeof value === 'string' ? value : '' };
  };
  const texts = [...lines.map(text('line')), ...rich.map(text('rich'))];
  return texts.filter(({ value }) => hasText(value));
}

/** Lists the texts of custom HTML: of the block `node`, or of a whole email if it is null. */
export const listHtmlTexts = (html: string, node: NodeId | null = null): EmailText[] =>
  extractHtmlTexts(html).map((value) => ({ node, path: [value], kind: 'html', value }));

export const applyToHtml = (html: string, changes: readonly SuggestedText[]): string =>
  replaceHtmlTexts(html, new Map(changes.map(({ value, next }) => [value, next])));

/** Paths of a block's text properties, without addresses, prices and codes. */
function listPaths(block: Block): { rich?: Path[]; lines?: Path[] } {
  switch (block.type) {
    case 'heading':
    case 'text':
      return { rich: [['html']] };
    case 'button':
      return { lines: [['label']] };
    case 'menu':
      return { lines: block.items.map((_, at) => ['items', at, 'label']) };
    case 'product':
      // The name and image of a picked product come from the store.
      return {
        lines: [...(block.pick ? [] : [['name'], ['image', 'alt']]), ['label']],
        rich: [['html']],
      };
    case 'coupon':
      return { lines: [['title'], ['label']], rich: [['html']] };
    case 'event':
      return { lines: [['title']] };
    case 'countdown':
      return { lines: [['ended']] };
    case 'table':
      return { rich: block.rows.flatMap((row, at) => row.map((_, cell) => ['rows', at, cell])) };
    case 'image':
    case 'header':
      return { lines: [['image', 'alt']] };
    case 'video':
      return { lines: [['poster', 'alt']] };
    case 'footer':
      return {
        lines: [['unsubscribe_label'], ['browser_label'], ['preferences_label']],
        rich: [['html']],
      };
    default:
      return {};
  }
}

/**
 * Applies suggestions. A text that its author changed after it was sent to the model is not
 * replaced.
 */
export function applyTexts(
  document: EmailDocument,
  changes: readonly SuggestedText[],
): EmailDocument {
  const inHtml = Map.groupBy(
    changes.filter(({ kind }) => kind === 'html'),
    ({ node }) => node,
  );
  const documentChanges = changes.filter(({ kind }) => kind !== 'html');
  const changedDocument = documentChanges.reduce((now, { node, path, value, next }) => {
    if (node !== null)
      return changeBlock(now, node, (block) => replaceAtPath(block, path, value, next) as Block);
    if (now.settings.preheader !== value) return now;
    return { ...now, settings: { ...now.settings, preheader: next } };
  }, document);
  return [...inHtml].reduce((now, [node, nodeChanges]) => {
    if (node === null) return now;
    return changeBlock(now, node, (block) => {
      const html = block.type === 'html' ? applyToHtml(block.html, nodeChanges) : '';
      return block.type === 'html' && html.length <= DOCUMENT_LIMITS.html
        ? { ...block, html }
        : block;
    });
  }, changedDocument);
}

function replaceAtPath(
  part: unknown,
  [step, ...rest]: Path,
  original: string,
  replacement: string,
): unknown {
  if (step === undefined) return part === original ? replacement : part;
  if (Array.isArray(part)) {
    const index = Number(step);
    return index < part.length
      ? part.with(index, replaceAtPath(part[index], rest, original, replacement))
      : part;
  }
  if (typeof part !== 'object' || part === null) return part;
  return { ...part, [step]: replaceAtPath(Object(part)[step], rest, original, replacement) };
}

export interface PreparedTexts {
  /** The strings to send: one per paragraph. */
  texts: string[];
  /**
   * Combines the strings with the model's responses, which have the same number and order as
   * `texts`.
   */
  combineReplies: (replies: readonly string[]) => SuggestedText[];
}

export function prepareTexts(sources: readonly EmailText[]): PreparedTexts {
  const preparedSources = sources.map((source) => ({ source, pieces: prepareText(source) }));
  return {
    texts: preparedSources.flatMap(({ pieces }) => pieces.texts),
    combineReplies: (replies) => {
      let responseIndex = 0;
      return preparedSources.map(({ source, pieces }) => {
        const partReplies = replies.slice(responseIndex, responseIndex + pieces.texts.length);
        responseIndex += pieces.texts.length;
        return { ...source, next: pieces.write(partReplies) };
      });
    },
  };
}

/** Returns the visible text: paragraphs as lines, without formatting. */
export function toVisibleText({ kind, value }: EmailText): string {
  if (kind === 'html') return value.replace(MARKER, '');
  if (kind !== 'rich') return value;
  return prepareText({ node: null, path: [], kind, value }).texts.join('\n').replace(MARKER, '');
}

type PreparedText = { texts: string[]; write: (replies: readonly string[]) => string };

function prepareText({ kind, value }: EmailText): PreparedText {
  if (kind === 'rich') return prepareRichText(value);
  if (kind === 'plain') return preparePlainText(value);
  if (kind === 'html')
    return {
      texts: [value],
      write: ([answer = value]) => (fitsHtml(value, answer) ? answer : value),
    };
  return {
    texts: [value],
    write: ([line = value]) =>
      line.replace(/\s+/g, ' ').trim().slice(0, DOCUMENT_LIMITS.line) || value,
  };
}

/** Splits a text into its paragraphs; the blank lines between them remain. */
function preparePlainText(value: string): PreparedText {
  const parts = value.split(/(\n(?:[ \t]*\n)+)/);
  const isText = (part: string) => part.trim() !== '';
  return {
    texts: parts.filter(isText),
    write: (replies) => {
      let responseIndex = 0;
      return parts
        .map((part) => (isText(part) ? (replies[responseIndex++] ?? part) : part))
        .join('');
    },
  };
}

const MARKER = /\[\[\/?\d{1,3}\]\]/g;
const MARKER_OR_BREAK = /\[\[(\/?)(\d{1,3})\]\]|\n/g;
const CONTAINERS = new Set(['P', 'UL', 'OL', 'LI', 'DIV']);

/** Neighboring inline nodes with text, and the elements that their markers refer to. */
type Run = { nodes: ChildNode[]; marks: Element[]; text: string };

function prepareRichText(html: string): PreparedText {
  const { body } = new DOMParser().parseFromString(toElements(html), 'text/html');
  const runs = findRuns(body);
  return {
    texts: runs.map(({ text }) => text),
    write: (replies) => {
      for (const [at, { nodes, marks, text }] of runs.entries()) {
        nodes[0]?.before(buildFragment(replies[at] ?? text, marks, body.ownerDocument));
        for (const node of nodes) node.remove();
      }
      const next = fromElements(body.innerHTML);
      return next.length <= DOCUMENT_LIMITS.rich ? next : html;
    },
  };
}

function findRuns(container: Element): Run[] {
  const runs: Run[] = [];
  let nodes: ChildNode[] = [];
  const close = () => {
    const marks: Element[] = [];
    const text = nodes.map((node) => toMarkedText(node, marks)).join('');
    if (text.replace(MARKER, '').trim() !== '') runs.push({ nodes, marks, text });
    nodes = [];
  };
  for (const node of container.childNodes) {
    if (node instanceof Element && CONTAINERS.has(node.tagName)) {
      close();
      runs.push(...findRuns(node));
    } else nodes.push(node);
  }
  close();
  return runs;
}

function toMarkedText(node: Node, marks: Element[]): string {
  if (node.nodeType === Node.TEXT_NODE) return (node.nodeValue ?? '').replace(/[\t\r\n]+/g, ' ');
  if (!(node instanceof Element)) return '';
  if (node.tagName === 'BR') return '\n';
  const tag = node.getAttribute('data-tag');
  if (tag !== null) return tag;
  const number = marks.push(node);
  const innerText = [...node.childNodes].map((child) => toMarkedText(child, marks)).join('');
  return `[[${number}]]${innerText}[[/${number}]]`;
}

/**
 * Builds a response's text with the elements of its markers; an element whose marker is not closed
 * ends with the enclosing element.
 */
function buildFragment(text: string, marks: readonly Element[], page: Document): DocumentFragment {
  const root = page.createDocumentFragment();
  const openNodes: { number: number; node: ParentNode }[] = [{ number: 0, node: root }];
  const append = (...nodes: (Node | string)[]) => openNodes.at(-1)?.node.append(...nodes);
  const putText = (part: string) => append(...splitTags(part).map((tag) => inPage(tag, page)));
  let copiedTo = 0;
  for (const { 0: whole, 1: slash, 2: digits, index } of text.matchAll(MARKER_OR_BREAK)) {
    putText(text.slice(copiedTo, index));
    copiedTo = index + whole.length;
    const number = Number(digits);
    const mark = marks[number - 1];
    if (whole === '\n') append(page.createElement('br'));
    else if (!mark) putText(whole);
    else if (slash === '') {
      const node = mark.cloneNode(false) as Element;
      append(node);
      openNodes.push({ number, node });
    } else {
      const openIndex = openNodes.findLastIndex((tag) => tag.number === number);
      if (openIndex > 0) openNodes.length = openIndex;
    }
  }
  putText(text.slice(copiedTo));
  return root;
}

function inPage(part: string | { raw: string }, page: Document): Node | string {
  if (typeof part === 'string') return part;
  const element = page.createElement('span');
  element.setAttribute('data-tag', part.raw);
  return element;
}
