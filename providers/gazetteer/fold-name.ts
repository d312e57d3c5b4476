// Converts names to the form that users type: lower case, without diacritics, so that 'siauliai'
// finds Šiauliai.

const REPLACEMENTS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  '’': "'",
  '‘': "'",
  // Arabic keyboard letters that have Persian counterparts; joiners are never typed.
  ي: 'ی',
  ك: 'ک',
  '\u200c': '',
};

export function fold(text: string): string {
  const unaccented = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return unaccented.replace(
    /[ßæœøłđðþı’‘يك\u200c]/g,
    (character) => REPLACEMENTS[character] ?? character,
  );
}

/** Returns the number of UTF-16 units of the name that the folded prefix covers. */
export function foldedLength(name: string, prefix: string): number {
  let length = 0;
  for (const character of name) {
    if (fold(name.slice(0, length)).length >= prefix.length) break;
    length += character.length;
  }
  // Combining marks belong to the letter before them.
  while (/^\p{M}/u.test(name.slice(length))) length++;
  return length;
}
