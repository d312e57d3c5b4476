// Rich text before it is drawn in the page: only the elements and styles that a document may have.
// The server cleans what it keeps; this is for what was never there (a draft kept in the browser).
import { RICH_STYLES, RICH_TAGS } from '../../document.ts';

const TAGS = new Set<string>(RICH_TAGS);

export function safeHtml(html: string): string {
  if (!html.includes('<')) return html;
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const element of body.querySelectorAll('*')) {
    if (/^(script|style|iframe|object|template|svg|math)$/i.test(element.tagName)) {
      element.remove();
      continue;
    }
    if (!TAGS.has(element.tagName.toLowerCase())) {
      element.replaceWith(...element.childNodes);
      continue;
    }
    clean(element as HTMLElement);
  }
  return body.innerHTML;
}

function clean(element: HTMLElement): void {
  const styles = RICH_STYLES.map((name) => [name, element.style.getPropertyValue(name)] as const);
  for (const { name } of [...element.attributes]) element.removeAttribute(name);
  // Links of the canvas lead nowhere: a click writes.
  if (element.tagName === 'A') element.setAttribute('data-link', '');
  for (const [name, value] of styles) if (value) element.style.setProperty(name, value);
}
