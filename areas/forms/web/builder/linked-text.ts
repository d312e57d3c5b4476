// Text with links as its author edits it: plain text and links on parts of it. Documents store a
// link as `[text](url)`.
import { isWebAddress } from '#embed/forms/shared/compile.ts';

type TextLink = { from: number; to: number; url: string };
export type LinkedText = { text: string; links: readonly TextLink[] };

const LINK = /\[([^[\]\n]{1,500})\]\(([^)\s]{1,2000})\)/g;

export function parseLinks(source: string): LinkedText {
  const links: TextLink[] = [];
  let text = '';
  let last = 0;
  for (const { 0: whole, 1: label = '', 2: url = '', index } of source.matchAll(LINK)) {
    if (!isWebAddress(url)) continue;
    text += source.slice(last, index);
    links.push({ from: text.length, to: text.length + label.length, url });
    text += label;
    last = index + whole.length;
  }
  return { text: text + source.slice(last), links };
}

/** A link whose text has brackets or several lines cannot be stored: it becomes plain text. */
export function formatLinks({ text, links }: LinkedText): string {
  let source = '';
  let last = 0;
  for (const { from, to, url } of links) {
    const label = text.slice(from, to);
    source += text.slice(last, from);
    source += /[[\]\n]/.test(label) ? label : `[${label}](${url.replace(/\)/g, '%29')})`;
    last = to;
  }
  return source + text.slice(last);
}

/** Replaces the text; links stay on their parts of it. */
export function withText({ text: before, links }: LinkedText, text: string): LinkedText {
  const shorter = Math.min(before.length, text.length);
  let start = 0;
  while (start < shorter && before[start] === text[start]) start += 1;
  let sameEnd = 0;
  while (sameEnd < shorter - start && before.at(-1 - sameEnd) === text.at(-1 - sameEnd))
    sameEnd += 1;
  const end = before.length - sameEnd;
  const shift = text.length - before.length;
  const moved = links.map(({ from, to, url }) => ({
    from: from >= end ? from + shift : from <= start ? from : end + shift,
    to: to <= start ? to : to >= end ? to + shift : start,
    url,
  }));
  return { text, links: moved.filter(({ from, to }) => from < to) };
}

/** Links a part of the text; links that overlap it are replaced. */
function withLink({ text, links }: LinkedText, link: TextLink): LinkedText {
  const others = links.filter(({ from, to }) => to <= link.from || from >= link.to);
  return { text, links: [...others, link].toSorted((a, b) => a.from - b.from) };
}

/**
 * Links the selection if it is the label, otherwise the first occurrence of the label in the text.
 * A label that the text lacks is appended.
 */
export function addLink(
  linked: LinkedText,
  { label, url, selection }: { label: string; url: string; selection: [number, number] },
): LinkedText {
  const [from, to] = selection;
  if (from < to && linked.text.slice(from, to) === label)
    return withLink(linked, { from, to, url });
  const found = linked.text.indexOf(label);
  if (found >= 0) return withLink(linked, { from: found, to: found + label.length, url });
  const text = `${linked.text}${linked.text === '' ? '' : ' '}${label}`;
  return withLink({ ...linked, text }, { from: text.length - label.length, to: text.length, url });
}
