// Yes and no as people and other systems write them.

const yes = new Set('yes y true on ja j taip t jā oui sí si tak да بله آری'.split(' '));
const no = new Set('no n false off nei nej nein ne nē non nie нет خیر نه'.split(' '));

/** True, false, or undefined where it is neither. 1 and 0 are numbers. */
export function parseYesNo(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (yes.has(word)) return true;
  return no.has(word) ? false : undefined;
}
