// Splits an imported HTML template into title and body and converts the body's merge tags.
import { convertTags } from '../html/foreign-tags.ts';
import { scanHtml } from '../../html-scanner.ts';

export type TemplateParts = {
  title: string;
  /** Inner HTML with converted merge tags. */
  body: string;
};

export function splitTemplate(html: string, fields: readonly string[]): TemplateParts {
  const { title, body } = splitPage(html);
  return { title, body: convertTags(body, fields) };
}

/** Returns the inner HTML of the body and the text of the title. */
function splitPage(html: string): { title: string; body: string } {
  let title = '';
  let isTitle = false;
  let bodyStart = 0;
  let bodyEnd = html.length;
  for (const token of scanHtml(html)) {
    if (token.type === 'text' && isTitle) title += html.slice(token.start, token.end);
    if (token.type !== 'open' && token.type !== 'close') continue;
    if (token.name === 'title') isTitle = token.type === 'open';
    else if (token.name === 'body' && token.type === 'open') bodyStart = token.end;
    else if (token.name === 'body') bodyEnd = token.start;
    else if (token.name === 'head' && token.type === 'close') bodyStart = token.end;
  }
  const plainTitle = title.replace(
    /\*\|[^|*]{0,200}\|\*|\{\{[^{}]{0,200}\}\}|&\w{1,40};|[<>\p{C}]/gu,
    ' ',
  );
  return {
    title: plainTitle.replace(/\s+/g, ' ').trim(),
    body: html.slice(bodyStart, bodyEnd).trim(),
  };
}
