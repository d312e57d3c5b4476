// Loops and conditions of a call's own words: rendered by liquidjs within limits, from the call's own
// values alone. What stands there afterwards are plain words with merge tags that the message fills in.
import { Liquid } from 'liquidjs';
import { invalid } from '#platform/server/errors.ts';
import { PERSON_TAGS, SYSTEM_TAGS } from '../../content/limits.ts';

const LIMITS = { parseLimit: 1_000_000, renderLimit: 500, memoryLimit: 10_000_000 };
const LOGIC = /\{%-?\s*[a-z]/;

/** Whether words are more than merge tags. */
export const hasLogic = (words: string) => LOGIC.test(words);

const harmless = (text: string) =>
  text.replace(/[&<>"'{}]/g, (letter) => `&#${letter.charCodeAt(0)};`);
/** In plain text no value may begin a merge tag. */
const unbraced = (text: string) => text.replace(/\{(?=[{%$])/g, '{\u200b');

const engineFor = (escape: (text: string) => string) =>
  new Liquid({
    ...LIMITS,
    ownPropertyOnly: true,
    strictFilters: true,
    dynamicPartials: false,
    root: [],
    relativeReference: false,
    templates: {},
    outputEscape: (value) => {
      if (value instanceof Kept) return value.tag;
      return escape(value === null || value === undefined ? '' : String(value));
    },
  });

/** A merge tag that the message fills in itself later. */
class Kept {
  readonly tag: string;
  constructor(name: string) {
    this.tag = `{{ ${name} }}`;
  }
}
const KEPT = Object.fromEntries(
  [...SYSTEM_TAGS, ...PERSON_TAGS].map((name) => [name, new Kept(name)]),
);
const engines = { html: engineFor(harmless), text: engineFor(unbraced) };

/** 422 on `part` where it cannot be parsed, or takes more than it may. Words without logic stay. */
export function renderLogic(
  part: 'html' | 'text' | 'subject',
  words: string,
  variables: Record<string, unknown>,
): string {
  if (!hasLogic(words)) return words;
  try {
    const engine = part === 'html' ? engines.html : engines.text;
    return engine.parseAndRenderSync(words, { ...KEPT, ...variables }) as string;
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split('\n');
    throw invalid({ [part]: [sentence.slice(0, 300)] });
  }
}
