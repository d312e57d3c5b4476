// Shows an email as Gmail or Outlook would: removes the features that the rules name and resolves
// Outlook's conditional comments.
import { replaceSpans } from '#platform/spans.ts';
import {
  type CssRule,
  type Declaration,
  parseDeclarations,
  parseRules,
  formatDeclarations,
} from './client-css.ts';
import {
  type ClientRule,
  type ClientRuleName,
  type ElementRule,
  type MailClient,
  type PropertyRule,
  listClientRules,
} from './client-rules.ts';

export type ClientView = {
  html: string;
  /** Rules that removed something, in table order. */
  appliedRules: ClientRuleName[];
};

type NamedRule<Rule> = [ClientRuleName, Rule];
type RemovedRules = Set<ClientRuleName>;

export function simulateClient(html: string, client: MailClient): ClientView {
  const prepared = client === 'outlook' ? removeSettings(expandOutlookComments(html)) : html;
  const page = new DOMParser().parseFromString(prepared, 'text/html');
  const rules = listClientRules(client);
  const removedRules: RemovedRules = new Set();
  for (const [name, rule] of rules)
    if (rule.kind === 'element') applyElement(page, [name, rule], removedRules);
  // Web fonts can also be loaded by link elements.
  for (const link of page.querySelectorAll('link[rel~="stylesheet" i]')) link.remove();
  for (const sheet of page.querySelectorAll('style'))
    sheet.textContent = filterSheet(sheet.textContent ?? '', rules, removedRules);
  const properties = rules.filter(isProperty);
  for (const element of page.querySelectorAll<HTMLElement>('[style]')) {
    const style = element.getAttribute('style') ?? '';
    const name = element.localName;
    const remainingDeclarations = parseDeclarations(style).flatMap((declaration) =>
      filterDeclaration(declaration, properties, name, removedRules),
    );
    element.setAttribute(
      'style',
      formatDeclarations(
        client === 'outlook'
          ? remainingDeclarations.map(translateOutlookDeclaration)
          : remainingDeclarations,
      ),
    );
  }
  if (client === 'outlook') drawVml(page);
  const stripped = rules.map(([name]) => name).filter((name) => removedRules.has(name));
  return { html: `<!doctype html>${page.documentElement.outerHTML}`, appliedRules: stripped };
}

/**
 * Removes Word's settings. Outlook does not show them; a browser would treat them as the start of
 * the body.
 */
const removeSettings = (html: string) => replaceSpans(html, /<xml\b/gi, '</xml>', () => '');

const isProperty = (namedRule: NamedRule<ClientRule>): namedRule is NamedRule<PropertyRule> =>
  namedRule[1].kind === 'property';

function applyElement(
  page: Document,
  [name, rule]: NamedRule<ElementRule>,
  removedRules: RemovedRules,
): void {
  for (const element of page.querySelectorAll(rule.selector)) {
    removedRules.add(name);
    if (rule.action === 'remove') element.remove();
    else if (rule.action === 'unwrap') element.replaceWith(...element.childNodes);
    else element.setAttribute('src', 'data:,');
  }
}

function filterSheet(
  css: string,
  rules: readonly NamedRule<ClientRule>[],
  removedRules: RemovedRules,
): string {
  const properties = rules.filter(isProperty);
  return parseRules(css)
    .map((rule) => filterRule(rule, rules, properties, removedRules))
    .join('\n');
}

function filterRule(
  { prelude, body }: CssRule,
  rules: readonly NamedRule<ClientRule>[],
  properties: readonly NamedRule<PropertyRule>[],
  removedRules: RemovedRules,
): string {
  const kind = prelude.startsWith('@') ? 'at_rule' : 'selector';
  const refusing = rules.find(([, rule]) => rule.kind === kind && rule.matches(prelude));
  if (refusing) {
    removedRules.add(refusing[0]);
    return '';
  }
  if (body === undefined) return `${prelude};`;
  if (kind === 'at_rule' && /^@(?:media|supports|layer)\b/i.test(prelude))
    return `${prelude}{${filterSheet(body, rules, removedRules)}}`;
  if (kind === 'at_rule') return `${prelude}{${body}}`;
  const remainingDeclarations = parseDeclarations(body).flatMap((declaration) =>
    filterDeclaration(declaration, properties, findLastElement(prelude), removedRules),
  );
  return `${prelude}{${formatDeclarations(remainingDeclarations)}}`;
}

/** Returns the element name at the end of a selector; '' if there is none. */
function findLastElement(selector: string): string {
  const lastCompound = selector.split(/[\s>+~,]/).at(-1) ?? '';
  return /^[a-z][a-z0-9]*/i.exec(lastCompound)?.[0].toLowerCase() ?? '';
}

function filterDeclaration(
  declaration: Declaration,
  properties: readonly NamedRule<PropertyRule>[],
  element: string,
  removedRules: RemovedRules,
): Declaration[] {
  for (const [name, { property, value, getRemainder, exceptElements = [] }] of properties) {
    if (!property.test(declaration.property)) continue;
    if (value && !value.test(declaration.value)) continue;
    // A selector without an element may match a table cell.
    if (exceptElements.length > 0 && (element === '' || exceptElements.includes(element))) continue;
    removedRules.add(name);
    const remainingValue = getRemainder?.(declaration.value) ?? '';
    return remainingValue === '' ? [] : [{ ...declaration, value: remainingValue }];
  }
  return [declaration];
}

/** Replaces Outlook's own properties by their standard equivalents. */
function translateOutlookDeclaration({ property, value }: Declaration): Declaration {
  if (property === 'mso-padding-alt') return { property: 'padding', value };
  if (property === 'mso-hide' && value === 'all') return { property: 'display', value: 'none' };
  return { property, value };
}

const OUTLOOK_VERSION = 16;

/**
 * Replaces conditional comments by their content if the condition is true in Outlook; removes the
 * others.
 */
function expandOutlookComments(html: string): string {
  return replaceSpans(html, /<!--\[if /gi, '<![endif]-->', ({ text, innerText }) => {
    const end = innerText.indexOf(']>');
    if (end === -1) return text;
    return holdsInOutlook(innerText.slice(0, end)) ? removeMarks(innerText.slice(end + 2)) : '';
  });
}

/** Removes the comment marks around content that other clients display too. */
function removeMarks(content: string): string {
  const text = content.replace(/^\s*(?:<!)?-->/, '').trimEnd();
  return text.endsWith('<!--') ? text.slice(0, -4) : text;
}

/**
 * Returns whether a condition such as `mso | IE` or `gte mso 9` is true in Outlook 2016 or later.
 */
export function holdsInOutlook(condition: string): boolean {
  return condition
    .replace(/[()]/g, ' ')
    .split('|')
    .some((either) =>
      either.split('&').every((part) => partHoldsInOutlook(part.trim().toLowerCase())),
    );
}

function partHoldsInOutlook(part: string): boolean {
  if (part.startsWith('!')) return !partHoldsInOutlook(part.slice(1).trim());
  const [, operator = 'eq', version] = /^(?:(lte?|gte?)\s+)?mso(?:\s+(\d+))?$/.exec(part) ?? [];
  if (!/\bmso\b/.test(part)) return part === 'true';
  if (version === undefined) return true;
  const threshold = Number(version);
  const results = {
    lt: OUTLOOK_VERSION < threshold,
    lte: OUTLOOK_VERSION <= threshold,
    gt: OUTLOOK_VERSION > threshold,
    gte: OUTLOOK_VERSION >= threshold,
    eq: OUTLOOK_VERSION === threshold,
  };
  return results[operator as keyof typeof results];
}

/** Draws VML backgrounds and buttons with CSS, because browsers no longer support VML. */
function drawVml(page: Document): void {
  for (const shape of [...page.querySelectorAll<HTMLElement>('*')]) {
    if (shape.localName !== 'v:rect' && shape.localName !== 'v:roundrect') continue;
    const fill = [...shape.querySelectorAll('*')].find((element) => element.localName === 'v:fill');
    shape.style.display = 'block';
    const color = fill?.getAttribute('color') ?? shape.getAttribute('fillcolor');
    if (color) shape.style.backgroundColor = color;
    const image = fill?.getAttribute('src');
    if (!image) continue;
    shape.style.backgroundImage = `url("${image.replace(/["\\\n]/g, encodeURIComponent)}")`;
    shape.style.backgroundSize = 'cover';
    shape.style.backgroundPosition = 'center';
  }
}
