// Finds email addresses and phone numbers in a text that an author is about to send to a model.

const ADDRESS = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g;
const NUMBER = /\+?\d(?:[ ()./-]?\d){6,14}/g;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MAX_SHOWN = 20;

export function findPersonalData(text: string): string[] {
  const matches = [...text.matchAll(ADDRESS), ...text.matchAll(NUMBER)].map(([match]) => match);
  return [...new Set(matches)].filter((match) => !DAY.test(match)).slice(0, MAX_SHOWN);
}
