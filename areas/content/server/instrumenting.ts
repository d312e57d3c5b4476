// What HTML and text have in common while they are instrumented into a message: parts that are the same
// for everybody, the token, and values of the recipient; links get their positions here.
import { LOCALE } from '#platform/languages.ts';
import { cutText } from '#platform/server/clean-text.ts';
import type { SystemTag } from '../limits.ts';
import { compileCondition, namesIn, splitConditions, type Test } from './conditions.ts';
import type { Moment } from './filters.ts';
import {
  encodeForAddress,
  hasFixedHost,
  isHttp,
  splitMasked,
  unmaskDecoded,
} from './masked-source.ts';
import type { TagError, TagPart, Values } from './merge-tags.ts';
import { parseTemplate, placeOf } from './merge-tags.ts';
import { type ContentPart, type Finding, type Link, type MessageSource } from './message-source.ts';

export const MAX_FINDINGS = 100;
/** The recipient's token, written at its fixed width. */
export const TOKEN = { token: true } as const;
/** Text of one recipient, already made harmless for its place. */
export type ValuePart = { of(values: Values, moment: Moment): string };
/** What follows is written only for whom the test holds, up to the next `CONDITION_END`. */
export type ConditionPart = { isFor: Test };
export const CONDITION_END = { isEnd: true } as const;
export type Part = string | typeof TOKEN | ValuePart | ConditionPart | typeof CONDITION_END;

export type Instrumenting = {
  source: MessageSource;
  links: Link[];
  findings: Finding[];
  /** Names of the person's values that the message uses. */
  names: Set<string>;
  /** Subject and preheader of one recipient. */
  subject: ValuePart;
  preheader: ValuePart;
};

/** Makes text safe where it will stand. */
export type Escape = (text: string) => string;

export function startInstrumenting(source: MessageSource): Instrumenting {
  const instrumenting: Instrumenting = {
    source,
    links: [],
    findings: [],
    names: new Set(),
    subject: { of: () => '' },
    preheader: { of: () => '' },
  };
  instrumenting.subject = lineOf(instrumenting, 'subject', source.subject);
  instrumenting.preheader = lineOf(instrumenting, 'preheader', source.preheader);
  return instrumenting;
}

/** Subject and preheader: merge tags, but no links. */
function lineOf(instrumenting: Instrumenting, part: ContentPart, source: string): ValuePart {
  const template = parseTemplate(source);
  addTagErrors(instrumenting, part, source, template.errors);
  const steps: (string | ValuePart)[] = template.parts.map((piece) => {
    if (typeof piece === 'string') return piece;
    const { expression } = piece;
    if (expression.system === undefined) {
      noteName(instrumenting, expression.name);
      return { of: (values, moment) => expression.evaluate(values, moment) };
    }
    const fixed = fixedSystemText(instrumenting.source, expression.system);
    if (fixed === undefined) {
      addFinding(instrumenting, 'tag_not_here', part, source, piece.at, { tag: piece.source });
    }
    return { of: (values, moment) => expression.evaluate(values, moment, fixed ?? '') };
  });
  const [only] = steps;
  if (steps.length === 0) return { of: () => '' };
  if (steps.length === 1 && typeof only === 'string') return { of: () => only };
  return {
    of: (values, moment) =>
      steps.map((step) => (typeof step === 'string' ? step : step.of(values, moment))).join(''),
  };
}

/** True if the line is the same for every recipient. */
export function isConstantLine(source: string): boolean {
  return parseTemplate(source).parts.every((part) => typeof part === 'string');
}

function fixedSystemText(source: MessageSource, tag: SystemTag): string | undefined {
  if (tag === 'unsubscribe_text') return source.words.unsubscribe;
  if (tag === 'postal_address') return source.postal_address;
  if (tag === 'company') return source.company;
  return undefined;
}

/** What a merge tag becomes at a place of running text or in an attribute. */
export function tagParts(instrumenting: Instrumenting, tag: TagPart, escape: Escape): Part[] {
  const { expression } = tag;
  const { source } = instrumenting;
  switch (expression.system) {
    case undefined:
      noteName(instrumenting, expression.name);
      return [{ of: (values, moment) => escape(expression.evaluate(values, moment)) }];
    case 'unsubscribe_link':
      return [`${source.public_url}/u/`, TOKEN];
    case 'preferences_url':
      return [`${source.public_url}/u/`, TOKEN, '/preferences'];
    case 'browser_preview':
      return [`${source.public_url}/v/`, TOKEN];
    case 'subject':
    case 'preheader': {
      const line = instrumenting[expression.system];
      const of: ValuePart['of'] = (values, moment) =>
        escape(expression.evaluate(values, moment, line.of(values, moment)));
      return isConstantLine(source[expression.system]) ? [of({}, fixedMoment(source))] : [{ of }];
    }
    default: {
      const text = fixedSystemText(source, expression.system) ?? '';
      return [escape(expression.evaluate({}, fixedMoment(source), text))];
    }
  }
}

/** For what is the same for everybody; "now" never occurs in it. */
export function fixedMoment(source: MessageSource): Moment {
  return { now: new Date(0), locale: LOCALE[source.language] };
}

/** Masked text as parts, its tags escaped for their place. */
export function maskedParts(
  instrumenting: Instrumenting,
  masked: string,
  tags: readonly TagPart[],
  escape: Escape,
): Part[] {
  return splitMasked(masked).flatMap((piece) => {
    if (typeof piece === 'string') return literalParts(instrumenting, piece);
    const tag = tags[piece];
    return tag === undefined ? [] : tagParts(instrumenting, tag, escape);
  });
}

/** Only a message that brings conditions has marks of them. */
function literalParts(instrumenting: Instrumenting, text: string): Part[] {
  const { conditions = [] } = instrumenting.source;
  if (conditions.length === 0) return text === '' ? [] : [text];
  return splitConditions(text).flatMap((piece, i): Part[] => {
    if (i % 2 === 0) return piece === '' ? [] : [piece];
    if (piece === '') return [CONDITION_END];
    const condition = conditions[Number(piece)];
    if (condition === undefined) return [];
    for (const name of namesIn(condition)) noteName(instrumenting, name);
    return [{ isFor: compileCondition(condition) }];
  });
}

/** What stands around a link: how its merge tags are read, and how text is written there. */
type LinkPlace = { label: string; decode: Escape; escape: Escape };

/**
 * What stands for a link in a mail that leaves: the redirect that counts it, or the address with the
 * campaign's parameters where clicks are not measured. Undefined if it stays as it is: no http(s), a
 * tag of the message's own in it, or a host that a value decides (a redirect must never lead where
 * somebody's data says).
 * @param address masked, as the reader's program will understand it
 */
export function sentLink(
  instrumenting: Instrumenting,
  address: string,
  tags: readonly TagPart[],
  { label, decode, escape }: LinkPlace,
): Part[] | undefined {
  const { source, links } = instrumenting;
  if (!source.is_tracked) return undefined;
  if (!isHttp(address) || !hasFixedHost(address)) return undefined;
  const inside = splitMasked(address).flatMap((piece) =>
    typeof piece === 'number' ? [tags[piece]] : [],
  );
  if (inside.some((tag) => tag === undefined || tag.expression.system !== undefined)) {
    return undefined;
  }
  if (
    !URL.canParse(
      splitMasked(address)
        .map((piece) => (typeof piece === 'string' ? piece : 'x'))
        .join(''),
    )
  ) {
    return undefined;
  }
  const whole = withUtm(address, source.utm_campaign);
  if (source.measures_clicks === false) {
    if (whole === address) return undefined;
    return maskedParts(instrumenting, escape(whole), tags, encodeForAddress);
  }
  for (const tag of inside) if (tag !== undefined) noteName(instrumenting, tag.expression.name);
  const position = links.length;
  links.push({ position, url: unmaskDecoded(whole, tags, decode), label: cutText(label, 200) });
  return [`${source.public_url}/t/c/`, TOKEN, `/${position}`];
}

/** What `withUtm` adds, for whoever asks after an address as its author wrote it; PostgreSQL reads it alike. */
export const ADDED_UTM =
  '[?&]utm_source=newsletter(&utm_medium=email)?(&utm_campaign=[^&#]*)?(?=#|$)';

/** Masked: a fallback with a `#` or `?` is no part of the address. The author's own parameters stay. */
function withUtm(address: string, campaign: string | undefined): string {
  if (campaign === undefined || campaign === '' || /[?&]utm_source=/i.test(address)) return address;
  const [bare = '', ...fragment] = address.split('#');
  const wanted = { utm_source: 'newsletter', utm_medium: 'email', utm_campaign: campaign };
  const utm = Object.entries(wanted)
    .filter(([name]) => !new RegExp(`[?&]${name}=`, 'i').test(bare))
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const joint = bare.includes('?') ? '&' : '?';
  return [`${bare}${joint}${utm.join('&')}`, ...fragment].join('#');
}

function noteName(instrumenting: Instrumenting, name: string): void {
  if (name !== '') instrumenting.names.add(name);
}

export function addTagErrors(
  instrumenting: Instrumenting,
  part: ContentPart,
  source: string,
  errors: readonly TagError[],
): void {
  for (const error of errors) {
    addFinding(instrumenting, error.code, part, source, error.at, {
      tag: error.tag,
      ...(error.name === undefined ? {} : { filter: error.name }),
    });
  }
}

/** A finding with its line and column; the place is worked out only if it is kept. */
export function addFinding(
  instrumenting: Instrumenting,
  code: string,
  part: ContentPart,
  source: string,
  at: number | (() => number),
  values: Record<string, string | number> = {},
  severity: Finding['severity'] = 'error',
): void {
  if (instrumenting.findings.length >= MAX_FINDINGS) return;
  const place = placeOf(source, typeof at === 'number' ? at : at());
  instrumenting.findings.push({ code, severity, part, ...place, values });
}
