// Classifies replies by keyword. Case, punctuation and surrounding whitespace are ignored. A
// sentence that begins with an opt-out keyword counts as that keyword, so that a possible opt-out
// is never missed.

export type Keyword = 'stop' | 'start' | 'help';

/** The keywords of carriers and Twilio's defaults, and the French one that Canada requires. */
const STOP = new Set(
  'stop stopall unsubscribe cancel end quit revoke optout arret desabonner'.split(' '),
);
const START = new Set('start unstop yes'.split(' '));
const HELP = new Set('help info aide'.split(' '));

/** The keyword of a reply; undefined if it has none, so that a user must read it. */
export function keywordOf(text: string): Keyword | undefined {
  const tokens = tokensOf(text);
  const [first = '', second = ''] = tokens;
  if (tokens.length === 0) return undefined;
  if (first === 'opt' && second === 'out') return 'stop';
  if (STOP.has(first)) return 'stop';
  if (tokens.length > 1) return undefined;
  if (START.has(first)) return 'start';
  return HELP.has(first) ? 'help' : undefined;
}

function tokensOf(text: string): string[] {
  return text
    .slice(0, 1000)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((token) => token !== '');
}
