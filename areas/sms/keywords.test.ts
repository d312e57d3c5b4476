// Keywords in replies: opt-outs, opt-ins and requests for help.
import { expect, test } from 'vitest';
import { parseKeyword } from './keywords.ts';

test.each([
  ['STOP', 'stop'],
  [' stop. ', 'stop'],
  ['Stop!!! please', 'stop'],
  ['"UNSUBSCRIBE"', 'stop'],
  ['Opt-out', 'stop'],
  ['optout', 'stop'],
  ['arrêt', 'stop'],
  ['STOPALL', 'stop'],
  ['Revoke', 'stop'],
  ['Ｓｔｏｐ', 'stop'],
  ['start', 'start'],
  ['Yes', 'start'],
  ['UNSTOP', 'start'],
  ['yes I would like two', undefined],
  ['Help?', 'help'],
  ['info', 'help'],
  ['Do not stop writing', undefined],
  ['stopping by tomorrow', undefined],
  ['', undefined],
  ['…', undefined],
  [`${'a '.repeat(5000)}stop`, undefined],
] as const)('the reply %j means %s', (text, meaning) => {
  expect(parseKeyword(text)).toBe(meaning);
});
