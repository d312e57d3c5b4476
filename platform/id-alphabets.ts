// Sqids without its filter for offensive words, with the shuffled alphabets computed once per
// offset: the library shuffles them again for each id, which takes three quarters of its time.

/** The library's constant shuffle. */
function shuffle(alphabet: string): string {
  const letters = alphabet.split('');
  for (let i = 0, j = letters.length - 1; j > 0; i++, j--) {
    const code = (position: number) => (letters[position] as string).charCodeAt(0);
    const other = (i * j + code(i) + code(j)) % letters.length;
    [letters[i], letters[other]] = [letters[other] as string, letters[i] as string];
  }
  return letters.join('');
}

/** @returns the id of numbers from 0 to MAX_SAFE_INTEGER */
export function createEncoder(alphabet: string, minLength: number): (numbers: number[]) => string {
  const base = shuffle(alphabet);
  const size = base.length;
  const reverseFrom = (offset: number) =>
    (base.slice(offset) + base.slice(0, offset)).split('').reverse().join('');
  /** By offset and number of shuffles. */
  const shuffled = Array.from({ length: size }, (_, offset) => [reverseFrom(offset)]);
  const alphabetOf = (offset: number, shuffles: number): string => {
    const cachedLetters = shuffled[offset] as string[];
    while (cachedLetters.length <= shuffles)
      cachedLetters.push(shuffle(cachedLetters.at(-1) as string));
    return cachedLetters[shuffles] as string;
  };
  return (numbers) => {
    let sum = numbers.length;
    for (const [index, number] of numbers.entries()) sum += base.charCodeAt(number % size) + index;
    const offset = sum % size;
    let id = base.charAt(offset);
    for (const [index, number] of numbers.entries()) {
      const letters = alphabetOf(offset, index);
      id += digitsOf(number, letters);
      if (index < numbers.length - 1) id += letters.charAt(0);
    }
    let shuffles = numbers.length - 1;
    if (id.length < minLength) id += alphabetOf(offset, shuffles).charAt(0);
    while (id.length < minLength)
      id += alphabetOf(offset, ++shuffles).slice(0, minLength - id.length);
    return id;
  };
}

/** The first letter is the separator. */
function digitsOf(number: number, letters: string): string {
  const radix = letters.length - 1;
  let digits = '';
  let remaining = number;
  do {
    digits = letters.charAt(1 + (remaining % radix)) + digits;
    remaining = Math.floor(remaining / radix);
  } while (remaining > 0);
  return digits;
}
