// Classifies replies by keyword. Case, accents, punctuation and whitespace are ignored. Any reply
// that begins with an opt-out keyword is treated as an opt-out so that none is missed; other
// keywords must be the whole reply.

export type Keyword = 'stop' | 'start' | 'help';

/** The keywords of carriers and of Twilio's defaults, and the French ones that Canada requires. */
const STOP = new Set(
  'stop stopall unsubscribe cancel end quit revoke optout arret desabonner'.split(' '),
);
const START = new Set('start unstop yes'.split(' '));
const HELP = new Set('help info aide'.split(' '));

/**
 * Returns the kind of keyword that a reply consists of or begins with, or undefined if there is
 * none.
 */
export function parseKeyword(text: string): Keyword | undefined {
  const tokens = splitTokens(text);
  const [first = '', second = ''] = tokens;
  if (tokens.length === 0) return undefined;
  if (first === 'opt' && second === 'out') return 'stop';
  if (STOP.has(first)) return 'stop';
  if (tokens.length > 1) return undefined;
  if (START.has(first)) return 'start';
  return HELP.has(first) ? 'help' : undefined;
}

function splitTokens(text: string): string[] {
  return text
    .slice(0, 1000)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((token) => token !== '');
}
