// Merge tags of other products, which would be sent literally, and their equivalents in this
// product if any.
import { type SystemTag, SYSTEM_TAGS } from '../../shared.ts';
import { scanHtml } from '../../html-scanner.ts';
import { findLineAndColumn } from '../personalization/merge-tags.ts';
import type { ContentFinding, MessageSource } from '../personalization/message-source.ts';

/**
 * Tags of Mailchimp, Emma, Campaign Monitor, GetResponse, server templates and template literals.
 */
const FOREIGN_TAG =
  /\*\|([A-Z][\w:]{0,60})\|\*|%%([a-z][\w ]{0,60})%%|\[\[([a-z][\w .]{0,60})\]\]|<%=?\s*([a-z@][\w.@]{0,60})\s*%>|\$\{([a-z][\w.]{0,60})\}/gi;
/** Every match of `FOREIGN_TAG` begins with one of these. */
const OPENING = /\*\||%%|\[\[|<%|\$\{/;
const MAX_FOREIGN_TAGS = 50;

const MEANINGS: [RegExp, SystemTag | 'firstname' | 'lastname' | 'email' | 'phone'][] = [
  [/^(first ?name|f ?name|name|given ?name)$/, 'firstname'],
  [/^(last ?name|l ?name|surname|family ?name)$/, 'lastname'],
  [/^(e ?mail|e ?mail ?addr(ess)?)$/, 'email'],
  [/^(phone|phone ?number|mobile|sms)$/, 'phone'],
  [/^(unsub|unsubscribe|unsub(scribe)? ?(link|url)|opt ?out( ?(link|url))?)$/, 'unsubscribe_link'],
  [
    /^(archive|web ?version|view ?in ?browser|view ?(link|url)|browser( ?link)?|mirror|web ?view)$/,
    'browser_preview',
  ],
  [/^(update ?profile|manage ?preferences|preferences?( ?(link|url))?)$/, 'preferences_url'],
  [/^(mc ?)?subject$/, 'subject'],
  [/^(mc ?)?preview ?text$/, 'preheader'],
  [/^(company|(list|account|organization) ?(company|name)|sender ?name)$/, 'company'],
  [
    /^((list|html list|account|sender|postal|company) ?address( ?html)?|organization ?full ?address|address)$/,
    'postal_address',
  ],
];

/** @param fields names of the account's custom fields */
export function findForeignTags(
  source: MessageSource,
  fields: readonly string[] | undefined = [],
): ContentFinding[] {
  const findings: ContentFinding[] = [];
  const seenTags = new Set<string>();
  for (const part of ['subject', 'preheader', 'html', 'text'] as const) {
    const text = source[part] ?? '';
    if (!OPENING.test(text)) continue;
    const visibleText = part === 'html' ? blankHidden(text) : text;
    for (const match of visibleText.matchAll(FOREIGN_TAG)) {
      const [tag] = match;
      if (seenTags.has(tag)) continue;
      if (findings.length === MAX_FOREIGN_TAGS) return findings;
      seenTags.add(tag);
      const becomes = findEquivalent(match.slice(1).find(Boolean) ?? '', fields);
      findings.push({
        code: 'tag_foreign',
        severity: 'warning',
        part,
        ...findLineAndColumn(text, match.index),
        values: { tag, ...(becomes && { becomes }) },
      });
    }
  }
  return findings;
}

/**
 * Tags of Brevo, Klaviyo and MailerLite. This product's tags and template languages use the same
 * brackets, so these tags are recognized only in imported files.
 */
const FOREIGN_IN_FILES =
  /\{\$([a-z][\w ]{0,60})\}|\{\{\s*((?:contact|person|organization|params)\.[a-z][\w.]{0,60}|first_name|last_name|mirror|unsubscribe|update_profile)\s*(?:\|[^{}]{0,80})?\}\}|\{%\s*((?:unsubscribe|manage_preferences)_link|web_view_link)\s*%\}/gi;
/** Klaviyo's tag for a whole link, with or without a label. */
const LINK_TAG =
  /\{%\s*(unsubscribe|manage_preferences|web_view)(?:\s+['"]([^'"]{0,80})['"])?\s*%\}/gi;

/** Other products use link tags after a scheme; the tags of this product contain the whole URL. */
const SCHEME_BEFORE_LINK =
  /https?:\/\/(?=\{\{\s*(?:unsubscribe_link|preferences_url|browser_preview)\s*\}\})/gi;

/**
 * Converts the merge tags of another product's template; tags without an equivalent remain and are
 * found by the checks.
 */
export function convertTags(html: string, fields: readonly string[] = []): string {
  const convertTag = (match: string, ...names: unknown[]) => {
    const name = names.slice(0, -2).find((name) => typeof name === 'string' && name !== '');
    return findEquivalent(String(name ?? '').replace(/_link$/i, ''), fields) ?? match;
  };
  return html
    .replace(LINK_TAG, (match, name: string, label?: string) => {
      const tag = findEquivalent(name, fields);
      return tag === undefined ? match : `<a href="${tag}">${label ?? name.replace('_', ' ')}</a>`;
    })
    .replace(FOREIGN_IN_FILES, convertTag)
    .replace(FOREIGN_TAG, convertTag)
    .replace(SCHEME_BEFORE_LINK, '');
}

/** Blanks out scripts, styles and comments, which contain no text. */
function blankHidden(html: string): string {
  let output = '';
  for (const { type, start, end } of scanHtml(html)) {
    const isHidden = type === 'raw' || type === 'comment';
    output += isHidden ? ' '.repeat(end - start) : html.slice(start, end);
  }
  return output;
}

function findEquivalent(name: string, fields: readonly string[]): string | undefined {
  const baseName = name.replace(
    /^(contact|subscriber|person|user|recipient|merge|profile|mc)[.:_]/i,
    '',
  );
  const fieldName = fields.find((field) => field.toLowerCase() === baseName.toLowerCase());
  if (fieldName !== undefined) return `{{${fieldName} | default: ""}}`;
  const normalizedName = baseName
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_.:@-]+/g, ' ')
    .trim()
    .toLowerCase();
  const equivalent = MEANINGS.find(([pattern]) => pattern.test(normalizedName))?.[1];
  if (equivalent === undefined) return undefined;
  const isAlwaysThere =
    equivalent === 'email' || SYSTEM_TAGS.some((systemTag) => systemTag === equivalent);
  return isAlwaysThere ? `{{${equivalent}}}` : `{{${equivalent} | default: ""}}`;
}
