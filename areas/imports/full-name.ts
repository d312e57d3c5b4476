// A name in one column: what stands before its first blank is the first name, all behind it the last.

export interface SplitName {
  first: string;
  /** Empty where there is one word only. */
  last: string;
}

export function splitName(name: string): SplitName {
  const words = name.trim();
  const end = words.search(/\s/);
  return end === -1
    ? { first: words, last: '' }
    : { first: words.slice(0, end), last: words.slice(end).trim() };
}

/** Targets that fill the same place as `target`: a full name is both of its parts. */
export function samePlaceAs(target: string): readonly string[] {
  if (target === 'fullname') return ['fullname', 'firstname', 'lastname'];
  return target === 'firstname' || target === 'lastname' ? [target, 'fullname'] : [target];
}
