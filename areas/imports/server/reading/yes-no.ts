// Parses yes and no in the formats of people and other systems.

const YES = new Set(
  'yes y true on ja j taip t jā oui sí si sì tak да بله آری kyllä jah sim igen ano áno evet da ναι так نعم כן はい 是 예 x ✓ ✔ checked'.split(
    ' ',
  ),
);
const NO = new Set(
  'no n false off nei nej nein ne nē non nie нет خیر نه ei nee não nao nem nu hayır hayir όχι ні لا לא いいえ 否 아니요 unchecked'.split(
    ' ',
  ),
);

/**
 * Parses a yes as true and a no as false; undefined for other text. 1 and 0 are not parsed because
 * they are numbers.
 */
export function parseYesNo(text: string): boolean | undefined {
  const normalized = text.trim().toLowerCase();
  if (YES.has(normalized)) return true;
  return NO.has(normalized) ? false : undefined;
}
