// What an answer to a text means. Case, punctuation and spaces at its ends make no difference; a sentence
// that begins with a word that leaves counts as that word: nobody is written to who may have meant to leave.

export type Keyword = 'stop' | 'start' | 'help';

/** The words that carriers and Twilio's defaults honour, and the French one that Canada asks for. */
const STOP = new Set(
  'stop stopall unsubscribe cancel end quit revoke optout arret desabonner'.split(' '),
);
const START = new Set('start unstop yes'.split(' '));
const HELP = new Set('help info aide'.split(' '));

/** Undefined: a message for a human. */
export function keywordOf(text: string): Keyword | undefined {
  const words = wordsOf(text);
  const [first = '', second = ''] = words;
  if (words.length === 0) return undefined;
  if (first === 'opt' && second === 'out') return 'stop';
  if (STOP.has(first)) return 'stop';
  if (words.length > 1) return undefined;
  if (START.has(first)) return 'start';
  return HELP.has(first) ? 'help' : undefined;
}

function wordsOf(text: string): string[] {
  return text
    .slice(0, 1000)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
