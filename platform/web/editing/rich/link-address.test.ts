// The link tool interprets input as its author meant it.
import { expect, test } from 'vitest';
import { toLinkAddress } from './link-address.ts';

test.each([
  ['ada@tea.example', 'mailto:ada@tea.example'],
  [' hello+news@tea.example ', 'mailto:hello+news@tea.example'],
  ['mailto:ada@tea.example', 'mailto:ada@tea.example'],
  ['tea.example', 'https://tea.example'],
  ['tea.example/@ada', 'https://tea.example/@ada'],
  ['http://tea.example', 'http://tea.example'],
  ['{{unsubscribe_link}}', '{{unsubscribe_link}}'],
  ['tel:+4712345678', 'tel:+4712345678'],
  ['', ''],
])('%s links to %s', (typed, address) => {
  expect(toLinkAddress(typed)).toBe(address);
});
