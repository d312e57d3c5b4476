// The check finds super-linear regular expressions. `npm run check` applies it to the sources.
import { expect, test } from 'vitest';
import { listRegExps, findSuperLinear } from './check-regexps.ts';

const reasonsFor = async (code: string) =>
  (await findSuperLinear(listRegExps('planted.ts', code))).map(({ reason }) => reason);

test.each([
  ['an exponential literal', 'const bad = /^(a+)+$/;'],
  ['a search that restarts at each opening', 'const bad = /<title[^>]*>/i;'],
  ['a run at the end of the text', String.raw`export const trimmed = text.replace(/\s+$/, '');`],
  ['a call of RegExp', "const bad = new RegExp('(x|x)*y');"],
  ['parts of other constants', 'const PART = /a+/;\nconst bad = RegExp(`${PART.source}a+$`, "g");'],
  ['a raw template', 'const bad = new RegExp(String.raw`(\\w+\\s*)+:`);'],
])('%s is found', async (_, code) => {
  expect(await reasonsFor(code)).toEqual([expect.stringMatching(/polynomial|exponential/)]);
});

test('linear expressions are not reported', async () => {
  const code = 'const good = [/^[a-z]+$/, /<title\\b[^<>]*>/i, /(?:a|b)*c/y, /\\d{1,3}/];';
  expect(listRegExps('planted.ts', code)).toHaveLength(4);
  expect(await reasonsFor(code)).toEqual([]);
});
