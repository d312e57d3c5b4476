// The success view after a sign-up: the author's text with the prize of the wheel; without a prize,
// or when this address had played before, a note without a prize.
import type { Snapshot, Tree, WheelSlice } from './document.ts';

export type Prize = {
  slice: number;
  label: string;
  code: string;
  /** The slice was one without a prize. */
  lost?: boolean | undefined;
};

/** Replaces the success view: the prize arrives by email. */
export type Note = { heading: string; text: string };

export function successTree(
  {
    success,
    words: texts,
    wheel,
  }: Pick<Snapshot, 'success' | 'words'> & {
    wheel: readonly WheelSlice[] | null;
  },
  prize: Prize | undefined,
  note?: Note,
): Tree {
  if (note) return message(note.heading, note.text);
  if (!wheel) return success;
  if (prize && !prize.lost) return withCode(success, prize.code || prize.label);
  return prize ? message(prize.label, texts.lost) : message(texts.spun, texts.spunText);
}

function message(heading = '', text = ''): Tree {
  return [
    'div',
    { class: 'sender-form-els', role: 'status' },
    ['h2', { class: 'sender-form-title' }, heading],
    ['p', { class: 'sender-form-text' }, text],
  ];
}

function withCode(tree: Tree, code: string): Tree {
  if (typeof tree === 'string') return tree;
  const [tag, attributes, ...children] = tree;
  return tag === 'output'
    ? [tag, attributes, code]
    : [tag, attributes, ...children.map((child) => withCode(child, code))];
}
