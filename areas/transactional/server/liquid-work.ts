// Renders templates with liquidjs on a worker thread, for liquid.ts.
import { Liquid } from 'liquidjs';
import { PERSON_TAGS, SYSTEM_TAGS } from '../../content/shared.ts';

type TemplatePart = 'subject' | 'html' | 'text';
export type LogicParts = {
  parts: Partial<Record<TemplatePart, string | null>>;
  variables: Record<string, unknown>;
};
export type LogicResponse =
  | { parts: Partial<Record<TemplatePart, string>> }
  | { failedPart: string; message: string };

const LIMITS = { parseLimit: 1_000_000, renderLimit: 500, memoryLimit: 10_000_000 };
const MAX_MESSAGE_LENGTH = 300;
/** Tags that load or define other templates; the engine has no other templates. */
const REFUSED_TAGS = ['include', 'render', 'layout', 'block'];

const escapeHtml = (text: string) =>
  text.replace(/[&<>"'{}]/g, (character) => `&#${character.charCodeAt(0)};`);
/** Prevents values in plain text from starting a merge tag. */
const breakMergeTags = (text: string) => text.replace(/\{(?=[{%$])/g, '{\u200b');

function createEngine(escape: (text: string) => string): Liquid {
  const engine = new Liquid({
    ...LIMITS,
    ownPropertyOnly: true,
    strictFilters: true,
    dynamicPartials: false,
    root: [],
    relativeReference: false,
    // This object has no prototype, because liquidjs would accept the names of a prototype's
    // properties, such as `constructor`, as names of templates.
    templates: Object.create(null) as Record<string, string>,
    outputEscape: (value) => {
      if (value instanceof PreservedTag) return value.tag;
      return escape(value === null || value === undefined ? '' : String(value));
    },
  });
  for (const tag of REFUSED_TAGS) delete engine.tags[tag];
  // These filters evaluate an expression per item and can be nested: a template of 617 bytes ran
  // for 10 seconds.
  for (const filter of Object.keys(engine.filters))
    if (filter.endsWith('_exp')) delete engine.filters[filter];
  engine.registerFilter('fallback', (value, fallback) => (isBlank(value) ? fallback : value));
  preserveFilters(engine);
  return engine;
}

const isBlank = (value: unknown) => value === undefined || value === null || value === '';

/**
 * Makes a filter on a preserved tag a part of the tag, to be applied for the recipient later:
 * `{{ firstname | fallback: 'friend' }}` stays as it is.
 */
function preserveFilters(engine: Liquid): void {
  for (const [name, filter] of Object.entries(engine.filters)) {
    const apply = typeof filter === 'function' ? filter : filter.handler;
    engine.registerFilter(name, function preserved(value, ...values) {
      if (value instanceof PreservedTag) return value.addFilter(name, values);
      return apply.call(this, value, ...values) as unknown;
    });
  }
}

/** A merge tag that stays in the content, because it is filled for the recipient later. */
class PreservedTag {
  private readonly expression: string;
  constructor(expression: string) {
    this.expression = expression;
  }
  get tag(): string {
    return `{{ ${this.expression} }}`;
  }
  addFilter(name: string, values: readonly unknown[]): PreservedTag {
    const args = values.map((value) =>
      typeof value === 'number' ? String(value) : quote(String(value)),
    );
    const call = args.length === 0 ? name : `${name}: ${args.join(', ')}`;
    return new PreservedTag(`${this.expression} | ${call}`);
  }
}

/** Quotes a text without its braces, which could end the tag. */
function quote(text: string): string {
  const plain = text.replace(/[{}]/g, '');
  return plain.includes("'") ? `"${plain.replaceAll('"', '')}"` : `'${plain}'`;
}

const PRESERVED_TAGS = Object.fromEntries(
  [...SYSTEM_TAGS, ...PERSON_TAGS].map((name) => [name, new PreservedTag(name)]),
);
const engines = { html: createEngine(escapeHtml), text: createEngine(breakMergeTags) };

export function work({ parts, variables }: LogicParts): LogicResponse {
  const renderedParts: Partial<Record<TemplatePart, string>> = {};
  for (const [part, template] of Object.entries(parts)) {
    try {
      const engine = part === 'html' ? engines.html : engines.text;
      const values = Object.assign(Object.create(null), PRESERVED_TAGS, variables) as object;
      renderedParts[part as TemplatePart] = engine.parseAndRenderSync(
        template ?? '',
        values,
      ) as string;
    } catch (error) {
      const [message = ''] = (error as Error).message.split('\n');
      return { failedPart: part, message: message.slice(0, MAX_MESSAGE_LENGTH) };
    }
  }
  return { parts: renderedParts };
}
