// Shared by the instrumentation of HTML and text: the parts of a message (constant text, the
// recipient's token, recipient values, conditions), its tracked links with positions, and its
// findings.
import { LOCALE } from '#platform/languages.ts';
import { cutText } from '#platform/server/clean-text.ts';
import type { SystemTag } from '../../shared.ts';
import { BUILT_IN_UTM, UTM_NAMES, type UtmValues } from '../../utm.ts';
import {
  compileCondition,
  listConditionNames,
  splitConditions,
  type Test,
} from '../personalization/conditions.ts';
import type { FilterMoment } from '../personalization/filters.ts';
import {
  encodeForAddress,
  hasFixedHost,
  isHttp,
  splitMasked,
  unmaskDecoded,
} from './masked-source.ts';
import type { TagError, TagPart, MergeValues } from '../personalization/merge-tags.ts';
import { parseTemplate, findLineAndColumn } from '../personalization/merge-tags.ts';
import {
  type ContentPart,
  type ContentFinding,
  type MessageLink,
  type MessageSource,
} from '../personalization/message-source.ts';

export const MAX_FINDINGS = 100;
/** The recipient's token in its fixed width. */
export const TOKEN = { token: true } as const;
/** Text of one recipient, already escaped for its context, such as an attribute. */
export type ValuePart = { render(values: MergeValues, moment: FilterMoment): string };
/** Parts up to the next `CONDITION_END` are written only if the test holds. */
export type ConditionPart = { isFor: Test };
export const CONDITION_END = { isEnd: true } as const;
export type MessagePart = string | typeof TOKEN | ValuePart | ConditionPart | typeof CONDITION_END;

export type Instrumenting = {
  source: MessageSource;
  links: MessageLink[];
  findings: ContentFinding[];
  /** Names of the recipient values in use. */
  names: Set<string>;
  /** Subject and preheader of one recipient. */
  subject: ValuePart;
  preheader: ValuePart;
};

/** Escapes text for its context. */
export type Escape = (text: string) => string;

export function startInstrumenting(source: MessageSource): Instrumenting {
  const instrumenting: Instrumenting = {
    source,
    links: [],
    findings: [],
    names: new Set(),
    subject: { render: () => '' },
    preheader: { render: () => '' },
  };
  instrumenting.subject = createLinePart(instrumenting, 'subject', source.subject);
  instrumenting.preheader = createLinePart(instrumenting, 'preheader', source.preheader);
  return instrumenting;
}

/**
 * Compiles the subject or the preheader, where `{{subject}}`, `{{preheader}}` and the merge tags
 * for links are errors.
 */
function createLinePart(
  instrumenting: Instrumenting,
  part: ContentPart,
  source: string,
): ValuePart {
  const template = parseTemplate(source);
  addTagErrors(instrumenting, part, source, template.errors);
  const steps: (string | ValuePart)[] = template.parts.map((segment) => {
    if (typeof segment === 'string') return segment;
    const { expression } = segment;
    if (expression.systemTag === undefined) {
      recordName(instrumenting, expression.name);
      return { render: (values, moment) => expression.evaluate(values, moment) };
    }
    const constantText = findFixedSystemText(instrumenting.source, expression.systemTag);
    if (constantText === undefined) {
      addFinding(instrumenting, 'tag_not_here', part, source, segment.position, {
        tag: segment.source,
      });
    }
    return { render: (values, moment) => expression.evaluate(values, moment, constantText ?? '') };
  });
  const [only] = steps;
  if (steps.length === 0) return { render: () => '' };
  if (steps.length === 1 && typeof only === 'string') return { render: () => only };
  return {
    render: (values, moment) =>
      steps.map((step) => (typeof step === 'string' ? step : step.render(values, moment))).join(''),
  };
}

/** Returns true if the line has no merge tags and so is the same for all recipients. */
export function isConstantLine(source: string): boolean {
  return parseTemplate(source).parts.every((part) => typeof part === 'string');
}

function findFixedSystemText(source: MessageSource, tag: SystemTag): string | undefined {
  if (tag === 'unsubscribe_text') return source.words.unsubscribe;
  if (tag === 'postal_address') return source.postal_address;
  if (tag === 'company') return source.company;
  return undefined;
}

/** Returns the parts that render a merge tag in text or in an attribute. */
export function createTagParts(
  instrumenting: Instrumenting,
  tag: TagPart,
  escape: Escape,
): MessagePart[] {
  const { expression } = tag;
  const { source } = instrumenting;
  switch (expression.systemTag) {
    case undefined:
      recordName(instrumenting, expression.name);
      return [{ render: (values, moment) => escape(expression.evaluate(values, moment)) }];
    case 'unsubscribe_link':
      return [`${source.public_url}/u/`, TOKEN];
    case 'preferences_url':
      return [`${source.public_url}/u/`, TOKEN, '/preferences'];
    case 'browser_preview':
      return [`${source.public_url}/v/`, TOKEN];
    case 'subject':
    case 'preheader': {
      const line = instrumenting[expression.systemTag];
      const evaluate: ValuePart['render'] = (values, moment) =>
        escape(expression.evaluate(values, moment, line.render(values, moment)));
      return isConstantLine(source[expression.systemTag])
        ? [evaluate({}, createFixedMoment(source))]
        : [{ render: evaluate }];
    }
    default: {
      const text = findFixedSystemText(source, expression.systemTag) ?? '';
      return [escape(expression.evaluate({}, createFixedMoment(source), text))];
    }
  }
}

/** Returns the context for evaluating constant parts, which never use the current time. */
export function createFixedMoment(source: MessageSource): FilterMoment {
  return { now: new Date(0), locale: LOCALE[source.language] };
}

/** Converts masked text to parts, with merge tags escaped for their context. */
export function toMaskedParts(
  instrumenting: Instrumenting,
  masked: string,
  tags: readonly TagPart[],
  escape: Escape,
): MessagePart[] {
  if (!masked.includes('\ufdd0')) return createLiteralParts(instrumenting, masked);
  return splitMasked(masked).flatMap((segment) => {
    if (typeof segment === 'string') return createLiteralParts(instrumenting, segment);
    const tag = tags[segment];
    return tag === undefined ? [] : createTagParts(instrumenting, tag, escape);
  });
}

/** Only messages with conditions contain condition markers. */
function createLiteralParts(instrumenting: Instrumenting, text: string): MessagePart[] {
  const { conditions = [] } = instrumenting.source;
  if (conditions.length === 0) return text === '' ? [] : [text];
  return splitConditions(text).flatMap((segment, i): MessagePart[] => {
    if (i % 2 === 0) return segment === '' ? [] : [segment];
    if (segment === '') return [CONDITION_END];
    const condition = conditions[Number(segment)];
    if (condition === undefined) return [];
    for (const name of listConditionNames(condition)) recordName(instrumenting, name);
    return [{ isFor: compileCondition(condition) }];
  });
}

/**
 * The label of a link, and how to decode and escape text where it is: in an attribute or in text.
 */
type LinkContext = { label: string; decode: Escape; escape: Escape };

/**
 * Returns the parts sent instead of a link's URL: the click redirect or, if clicks are not tracked,
 * the URL with UTM parameters. Returns undefined if the link stays as it is. This applies to
 * untracked messages, to URLs that are invalid, not http(s) or contain a system tag, and, if clicks
 * are not tracked, to URLs that need no parameters. It also applies to URLs whose host depends on a
 * recipient value, because a redirect must never lead to a host from data.
 * @param address masked, as the recipient's client parses it
 */
export function createSentLink(
  instrumenting: Instrumenting,
  address: string,
  tags: readonly TagPart[],
  { label, decode, escape }: LinkContext,
): MessagePart[] | undefined {
  const { source, links } = instrumenting;
  if (!source.is_tracked) return undefined;
  if (!isHttp(address) || !hasFixedHost(address)) return undefined;
  const segments = splitMasked(address);
  const inside = segments.flatMap((segment) =>
    typeof segment === 'number' ? [tags[segment]] : [],
  );
  if (inside.some((tag) => tag === undefined || tag.expression.systemTag !== undefined)) {
    return undefined;
  }
  const probe = segments.map((segment) => (typeof segment === 'string' ? segment : 'x')).join('');
  if (!URL.canParse(probe)) return undefined;
  const finalAddress = addUtm(address, resolveSourceUtm(source));
  if (source.measures_clicks === false) {
    if (finalAddress === address) return undefined;
    return toMaskedParts(instrumenting, escape(finalAddress), tags, encodeForAddress);
  }
  for (const tag of inside) if (tag !== undefined) recordName(instrumenting, tag.expression.name);
  const position = links.length;
  const url = unmaskDecoded(finalAddress, tags, decode);
  const written_url = finalAddress === address ? undefined : unmaskDecoded(address, tags, decode);
  links.push({ position, url, label: cutText(label, 200), written_url });
  return [`${source.public_url}/t/c/`, TOKEN, `/${position}`];
}

/**
 * Pattern of the UTM parameters that earlier releases added. For a link without `written_url`,
 * removing them restores the URL as its author wrote it. PostgreSQL uses the pattern too.
 */
export const ADDED_UTM =
  '[?&]utm_source=newsletter(&utm_medium=email)?(&utm_campaign=[^&#]*)?(?=#|$)';

/**
 * Adds UTM parameters unless the URL has `utm_source`; other parameters of the author take
 * precedence. The URL is masked, so that `#` and `?` in a merge tag are not parsed.
 */
function addUtm(address: string, utm: UtmValues | undefined): string {
  if (utm === undefined || /[?&]utm_source=/i.test(address)) return address;
  const [bare = '', ...fragment] = address.split('#');
  const addedParameters = UTM_NAMES.flatMap((name) => {
    const value = utm[name];
    if (!value || new RegExp(`[?&]utm_${name}=`, 'i').test(bare)) return [];
    return [`utm_${name}=${encodeURIComponent(value.toWellFormed())}`];
  });
  if (addedParameters.length === 0) return address;
  const joint = bare.includes('?') ? '&' : '?';
  return [`${bare}${joint}${addedParameters.join('&')}`, ...fragment].join('#');
}

function resolveSourceUtm({ utm, utm_campaign: campaign }: MessageSource): UtmValues | undefined {
  return utm ?? (campaign ? { ...BUILT_IN_UTM.email, campaign } : undefined);
}

function recordName(instrumenting: Instrumenting, name: string): void {
  if (name !== '') instrumenting.names.add(name);
}

export function addTagErrors(
  instrumenting: Instrumenting,
  part: ContentPart,
  source: string,
  errors: readonly TagError[],
): void {
  for (const error of errors) {
    addFinding(instrumenting, error.code, part, source, error.position, {
      tag: error.tag,
      ...(error.name === undefined ? {} : { filter: error.name }),
    });
  }
}

/**
 * Adds a finding with its line and column, unless MAX_FINDINGS were added before. `at` may be a
 * function, which is called only for findings that are added.
 */
export function addFinding(
  instrumenting: Instrumenting,
  code: string,
  part: ContentPart,
  source: string,
  at: number | (() => number),
  values: Record<string, string | number> = {},
  severity: ContentFinding['severity'] = 'error',
): void {
  if (instrumenting.findings.length >= MAX_FINDINGS) return;
  const position = findLineAndColumn(source, typeof at === 'number' ? at : at());
  instrumenting.findings.push({ code, severity, part, ...position, values });
}
