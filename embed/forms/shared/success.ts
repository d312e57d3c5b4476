// The success view after a sign-up: the author's text, with the prize or coupon code if there is
// one. A spin without a prize shows its own text, and a note replaces any other view.
import type { Snapshot, MarkupTree, WheelSlice } from './document.ts';

export type ShownPrize = {
  slice: number;
  label: string;
  code: string;
  /** The wheel stopped at a slice without a prize. */
  lost?: boolean | undefined;
};

/** Link to the built-in inbox, which receives the confirmation of a test sign-up. */
export type InboxLink = { href: string; label: string };

/** Replaces the success view, for example with the message that the prize arrives by email. */
export type SuccessNote = { heading: string; text: string };

export function renderSuccess(
  {
    success,
    words,
    wheel,
  }: Pick<Snapshot, 'success' | 'words'> & {
    wheel: readonly WheelSlice[] | null;
  },
  prize: ShownPrize | undefined,
  note?: SuccessNote,
): MarkupTree {
  if (note) return message(note.heading, note.text);
  if (prize && !prize.lost) return withCode(success, prize, words)[0] ?? '';
  if (wheel) return prize ? message(prize.label, words.lost) : message(words.spun, words.spunText);
  return withoutCode(success);
}

function message(heading = '', text = ''): MarkupTree {
  return [
    'div',
    { class: 'sender-form-els', role: 'status' },
    ['h2', { class: 'sender-form-title' }, heading],
    ['p', { class: 'sender-form-text' }, text],
  ];
}

/** Names the prize above its code and contains the copy button's labels for the script. */
function withCode(tree: MarkupTree, prize: ShownPrize, labels: Snapshot['words']): MarkupTree[] {
  if (typeof tree === 'string') return [tree];
  const [tag, attributes, ...children] = tree;
  if (tag !== 'output')
    return [[tag, attributes, ...children.flatMap((child) => withCode(child, prize, labels))]];
  const { label, code } = prize;
  const { copy, copied = '' } = labels;
  const name: MarkupTree[] = label && code ? [['span', { class: 'sender-form-prize' }, label]] : [];
  const copyAttributes: Record<string, string> =
    copy && code ? { 'data-copy': copy, 'data-copied': copied } : {};
  return [...name, ['output', { ...attributes, ...copyAttributes }, code || label]];
}

/** Removes the parts that promise a code. */
function withoutCode(tree: MarkupTree): MarkupTree {
  if (typeof tree === 'string') return tree;
  const [tag, attributes, ...children] = tree;
  const isCode = (child: MarkupTree) =>
    typeof child !== 'string' && child[1].class === 'sender-form-code';
  return [tag, attributes, ...children.filter((child) => !isCode(child)).map(withoutCode)];
}
