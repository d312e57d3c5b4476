// Merge tags: {{ firstname | default: "friend" }} and the older {$firstname}. Each is one
// expression with filters, parsed with liquidjs, then compiled once to a function of the recipient.
// There is no control flow, so no template can run code or loop.
import { decodeHTML } from 'entities';
import { removeElements } from '#platform/spans.ts';
import { type FilteredValueToken, type PropertyAccessToken, Tokenizer, TokenKind } from 'liquidjs';
import {
  FILTER_NAMES,
  type FilterName,
  MAX_FILTERS,
  MAX_TAG,
  MAX_TAGS,
  SYSTEM_TAGS,
  type SystemTag,
} from '../../shared.ts';
import { filters, type FilterMoment } from './filters.ts';

type FilterToken = FilteredValueToken['filters'][number];

/** A value of a subscriber's row or of a call's variables. */
export type MergeValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | { readonly [key: string]: MergeValue };
export type MergeValues = Readonly<Record<string, MergeValue>>;

/** A compiled tag: returns the text for one recipient, not yet escaped for its context. */
export type TagExpression = {
  /** First segment of its path (`order` in `order.number`), '' for a constant. */
  name: string;
  /** Set for a tag that the message fills; filters then apply to that value. */
  systemTag: SystemTag | undefined;
  hasFallback: boolean;
  /** A filter with invalid arguments. */
  misusedFilter: FilterName | undefined;
  /** `systemValue` replaces the lookup for system tags. */
  evaluate(values: MergeValues, moment: FilterMoment, systemValue?: string): string;
};

export type TagErrorCode =
  | 'tag_unclosed'
  | 'tag_empty'
  | 'tag_too_long'
  | 'tags_too_many'
  | 'tag_not_understood'
  | 'tag_control_flow'
  | 'tag_filter_unknown'
  | 'tag_filter_arguments';

/** `position` is where the tag starts in the source, in UTF-16 units. */
export type TagError = { code: TagErrorCode; position: number; tag: string; name?: string };
export type TagPart = { position: number; source: string; expression: TagExpression };
export type TemplatePart = string | TagPart;
export type ParsedTemplate = { parts: TemplatePart[]; errors: TagError[] };

/** Maximum number of reported errors and maximum length of a quoted tag. */
const MAX_ERRORS = 50;
const MAX_SHOWN_LENGTH = 80;
const OPENING = /\{\{|\{\$(?=[\p{L}_][\p{L}\p{N}_-]*\})|\{%(?=-?\s*[a-z])/gu;

/** Splits a source at its merge tags. With `inHtml`, a tag may contain entities and elements. */
export function parseTemplate(source: string, inHtml = false): ParsedTemplate {
  const template: ParsedTemplate = { parts: [], errors: [] };
  let copiedTo = 0;
  let count = 0;
  OPENING.lastIndex = 0;
  for (let match = OPENING.exec(source); match !== null; match = OPENING.exec(source)) {
    count += 1;
    if (count > MAX_TAGS) {
      const displayedTag = source.slice(match.index, match.index + MAX_SHOWN_LENGTH);
      template.errors.push({ code: 'tags_too_many', position: match.index, tag: displayedTag });
      break;
    }
    const tag = readTag(source, match.index, match[0], inHtml);
    if (match.index > copiedTo) template.parts.push(source.slice(copiedTo, match.index));
    if ('code' in tag.result) {
      if (template.errors.length < MAX_ERRORS) {
        const displayedTag = source.slice(
          match.index,
          Math.min(tag.end, match.index + MAX_SHOWN_LENGTH),
        );
        template.errors.push({ ...tag.result, position: match.index, tag: displayedTag });
      }
      template.parts.push(source.slice(match.index, tag.end));
    } else {
      template.parts.push({
        position: match.index,
        source: source.slice(match.index, tag.end),
        expression: tag.result,
      });
    }
    copiedTo = tag.end;
    OPENING.lastIndex = copiedTo;
  }
  if (copiedTo < source.length) template.parts.push(source.slice(copiedTo));
  return template;
}

type Failure = { code: TagErrorCode; name?: string };

function readTag(
  source: string,
  at: number,
  opening: string,
  inHtml: boolean,
): { end: number; result: TagExpression | Failure } {
  if (opening === '{$') {
    const end = source.indexOf('}', at) + 1;
    return { end, result: parseExpression(source.slice(at + 2, end - 1)) };
  }
  const closing = opening === '{%' ? '%}' : '}}';
  const close = findClosing(source, at + 2, closing);
  if (close === -1) return { end: at + 2, result: { code: 'tag_unclosed' } };
  const end = close + closing.length;
  if (opening === '{%') return { end, result: { code: 'tag_control_flow' } };
  if (close - at - 2 > MAX_TAG) return { end, result: { code: 'tag_too_long' } };
  const content = source.slice(at + 2, close);
  return { end, result: parseExpression(inHtml ? decodeEntitiesAndQuotes(content) : content) };
}

/**
 * Returns the position of the closing braces, or -1. Braces inside quotes are skipped; another
 * opening ends the search.
 */
function findClosing(source: string, from: number, closing: string): number {
  const opening = closing === '%}' ? /\{[{%]/ : /\{\{/;
  const limit = Math.min(source.length, from + MAX_TAG * 4);
  let quote = '';
  for (let i = from; i < limit; i++) {
    const char = source[i] as string;
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (source.startsWith(closing, i)) return i;
    else if (char === '{' && opening.test(source.slice(i, i + 2))) break;
  }
  // Unbalanced quotes (an apostrophe in an unquoted fallback): searches again ignoring quotes.
  const window = source.slice(from, limit);
  const plainEnd = window.indexOf(closing);
  const next = window.search(opening);
  return plainEnd !== -1 && (next === -1 || plainEnd < next) ? from + plainEnd : -1;
}

function decodeEntitiesAndQuotes(text: string): string {
  return decodeHTML(removeElements(text, ''))
    .replace(/[“”„‟«»]/g, '"')
    .replace(/[‘’‚‛]/g, "'")
    .replace(/[\u00a0\u2000-\u200b\u202f\u3000\ufeff]/g, ' ');
}

/** Compiles the expression between the braces. */
export function parseExpression(content: string): TagExpression | Failure {
  const text = content.trim();
  if (text === '') return { code: 'tag_empty' };
  let token: FilteredValueToken;
  try {
    const tokenizer = new Tokenizer(text);
    token = tokenizer.readFilteredValue();
    tokenizer.skipBlank();
    if (!tokenizer.end() || /[|:,]$/.test(text)) return { code: 'tag_not_understood' };
  } catch {
    return { code: 'tag_not_understood' };
  }
  const head = compileHead(token, text);
  if (head === undefined) return { code: 'tag_not_understood' };
  if (token.filters.length > MAX_FILTERS) return { code: 'tag_too_long' };
  const steps: FilterStep[] = [];
  for (const filter of token.filters) {
    const step = compileFilter(filter, text);
    if ('code' in step) return step;
    steps.push(step);
  }
  return parseExpressionText(head, steps);
}

type Head = { path: readonly string[] } | { constant: string };
type FilterStep = {
  name: FilterName;
  isMisused: boolean;
  run(input: string, moment: FilterMoment): string;
};

function compileHead(token: FilteredValueToken, text: string): Head | undefined {
  const [only, ...more] = token.initial.postfix;
  if (only === undefined || more.length > 0) return undefined;
  const constant = findConstant(only, text);
  if (constant !== undefined) return { constant: String(constant) };
  if (only.kind !== TokenKind.PropertyAccess) return undefined;
  const access = only as PropertyAccessToken;
  if (access.variable !== undefined) return undefined;
  const path: string[] = [];
  for (const prop of access.props) {
    if (prop.kind !== TokenKind.Word || !('content' in prop)) return undefined;
    path.push(String(prop.content));
  }
  return path.length > 0 && path.length <= 5 && path[0] !== '' ? { path } : undefined;
}

/** Returns a string or number literal, or undefined for other tokens and unclosed quotes. */
function findConstant(token: object, text: string): string | number | undefined {
  const {
    kind,
    begin: start,
    end,
    content,
  } = token as {
    kind: TokenKind;
    begin: number;
    end: number;
    content: unknown;
  };
  if (kind === TokenKind.Number && typeof content === 'number') return content;
  if (kind !== TokenKind.Quoted || typeof content !== 'string') return undefined;
  return end - start >= 2 && text[start] === text[end - 1] ? content : undefined;
}

function compileFilter(token: FilterToken, text: string): FilterStep | Failure {
  const name = FILTER_NAMES.find((filterName) => filterName === token.name);
  if (name === undefined) return { code: 'tag_filter_unknown', name: token.name };
  const args: (string | number)[] = [];
  for (const arg of token.args) {
    const constant = Array.isArray(arg) ? undefined : findConstant(arg, text);
    if (constant === undefined) return { code: 'tag_filter_arguments', name };
    args.push(constant);
  }
  const filter = filters[name];
  if (args.length < filter.minArgs || args.length > filter.maxArgs) {
    return { code: 'tag_filter_arguments', name };
  }
  const isMisused = filter.accepts?.(args) === false;
  return { name, isMisused, run: (input, moment) => filter.run(input, args, moment) };
}

function parseExpressionText(head: Head, steps: readonly FilterStep[]): TagExpression {
  const path = 'path' in head ? head.path : [];
  const name = path[0] ?? '';
  const system =
    path.length === 1 ? SYSTEM_TAGS.find((systemTag) => systemTag === name) : undefined;
  const [first] = path;
  const readValue = (values: MergeValues): string => {
    if ('constant' in head) return head.constant;
    if (path.length === 1 && first !== undefined) {
      return Object.hasOwn(values, first) ? toText(values[first]) : '';
    }
    return toText(follow(values, path));
  };
  return {
    name,
    systemTag: system,
    misusedFilter: steps.find(({ isMisused }) => isMisused)?.name,
    hasFallback:
      'constant' in head || steps.some((s) => s.name === 'default' || s.name === 'fallback'),
    evaluate(values, moment, systemValue) {
      let text = systemValue ?? readValue(values);
      for (const step of steps) text = step.run(text, moment);
      return text;
    },
  };
}

function follow(values: MergeValues, path: readonly string[]): MergeValue {
  let value: MergeValue = values;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = value[name];
  }
  return value;
}

function toText(value: MergeValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return '';
}

/** Returns the line and column (from 1) of a position. */
export function findLineAndColumn(source: string, at: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (
    let next = source.indexOf('\n');
    next !== -1 && next < at;
    next = source.indexOf('\n', next + 1)
  ) {
    line++;
    lineStart = next + 1;
  }
  return { line, column: at - lineStart + 1 };
}
