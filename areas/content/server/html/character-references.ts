// Character references of HTML: decoded as browsers do, and written for text and attributes.
import { decodeHTMLAttribute } from 'entities';

/**
 * Decodes character references as browsers do in attributes: `&copy=1` in a URL is not a symbol.
 */
export function decodeEntities(text: string): string {
  return text.includes('&') ? decodeHTMLAttribute(text) : text;
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML text and for quoted or unquoted attribute values. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (char) => ESCAPES[char] as string) : text;
}
