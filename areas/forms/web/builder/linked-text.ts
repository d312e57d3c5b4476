// Text with links as its author edits it: plain text and links on parts of it. Documents store a
// link as `[text](url)`.
import { isWebAddress } from '#embed/forms/shared/compile.ts';

type LinkRange = { from: number; to: number; url: string };
export type LinkedText = { text: string; links: readonly LinkRange[] };

const LINK = /\[([^[\]\n]{1,500})\]\(([^)\s]{1,2000})\)/g;

export function parseLinks(source: string): LinkedText {
  const links: LinkRange[] = [];
  let text = '';
  let position = 0;
  for (const { 0: whole, 1: label = '', 2: url = '', index } of source.matchAll(LINK)) {
    if (!isWebAddress(url)) continue;
    text += source.slice(position, index);
    links.push({ from: text.length, to: text.length + label.length, url });
    text += label;
    position = index + whole.length;
  }
  return { text: text + source.slice(position), links };
}

/**
 * Formats links. A link text with brackets or several lines cannot be stored and becomes plain
 * text.
 */
export function formatLinks({ text, links }: LinkedText): string {
  let source = '';
  let position = 0;
  for (const { from, to, url } of links) {
    const label = text.slice(from, to);
    source += text.slice(position, from);
    source += /[[\]\n]/.test(label) ? label : `[${label}](${url.replace(/\)/g, '%29')})`;
    position = to;
  }
  return source + text.slice(position);
}

/** Replaces the text; links stay on their parts of it. */
export function replaceText({ text: before, links }: LinkedText, text: string): LinkedText {
  const shorter = Math.min(before.length, text.length);
  let start = 0;
  while (start < shorter && before[start] === text[start]) start += 1;
  let sameEnd = 0;
  while (sameEnd < shorter - start && before.at(-1 - sameEnd) === text.at(-1 - sameEnd))
    sameEnd += 1;
  const end = before.length - sameEnd;
  const shift = text.length - before.length;
  const shiftedLinks = links.map(({ from, to, url }) => ({
    from: from >= end ? from + shift : from <= start ? from : end + shift,
    to: to <= start ? to : to >= end ? to + shift : start,
    url,
  }));
  return { text, links: shiftedLinks.filter(({ from, to }) => from < to) };
}

/** Links a part of the text; links that overlap it are replaced. */
function insertLink({ text, links }: LinkedText, link: LinkRange): LinkedText {
  const otherLinks = links.filter(({ from, to }) => to <= link.from || from >= link.to);
  return { text, links: [...otherLinks, link].toSorted((a, b) => a.from - b.from) };
}

/**
 * Links the selection if it is the label, otherwise the first occurrence of the label in the text.
 * A label that the text lacks is appended.
 */
export function addLink(
  linkedText: LinkedText,
  { label, url, selection }: { label: string; url: string; selection: [number, number] },
): LinkedText {
  const [from, to] = selection;
  if (from < to && linkedText.text.slice(from, to) === label)
    return insertLink(linkedText, { from, to, url });
  const start = linkedText.text.indexOf(label);
  if (start >= 0) return insertLink(linkedText, { from: start, to: start + label.length, url });
  const text = `${linkedText.text}${linkedText.text === '' ? '' : ' '}${label}`;
  return insertLink(
    { ...linkedText, text },
    { from: text.length - label.length, to: text.length, url },
  );
}
