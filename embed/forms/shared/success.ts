// What stands in the form's place after a sign-up: the author's own words, and in them what the wheel gave; where it
// gave nothing, or had been turned for this address before, that and no word of a prize.
import type { Snapshot, Tree, WheelSlice } from './document.ts';

export type Prize = {
  slice: number;
  label: string;
  code: string;
  /** The slice was one of those that win nothing. */
  lost?: boolean | undefined;
};

export function successTree(
  {
    success,
    words,
    wheel,
  }: Pick<Snapshot, 'success' | 'words'> & {
    wheel: readonly WheelSlice[] | null;
  },
  prize: Prize | undefined,
): Tree {
  if (!wheel) return success;
  if (prize && !prize.lost) return withCode(success, prize.code || prize.label);
  const [heading, text] = prize ? [prize.label, words.lost] : [words.spun, words.spunText];
  return [
    'div',
    { class: 'sender-form-els', role: 'status' },
    ['h2', { class: 'sender-form-title' }, heading ?? ''],
    ['p', { class: 'sender-form-text' }, text ?? ''],
  ];
}

function withCode(tree: Tree, code: string): Tree {
  if (typeof tree === 'string') return tree;
  const [tag, attributes, ...children] = tree;
  return tag === 'output'
    ? [tag, attributes, code]
    : [tag, attributes, ...children.map((child) => withCode(child, code))];
}
