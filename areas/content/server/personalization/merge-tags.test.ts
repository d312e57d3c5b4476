// Merge tags are filled with values, report errors with positions, and cannot run code.
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { parseTemplate, type MergeValues } from './merge-tags.ts';

const moment = { now: new Date('2026-03-05T14:07:09Z'), locale: 'en' };
const ada: MergeValues = {
  firstname: 'ada',
  lastname: '',
  email: 'ada@example.com',
  born: '1985-12-10',
  points: 12.345,
  order: { number: 'A-17', lines: { first: 'Tea' } },
};

function fill(source: string, values: MergeValues = ada, inHtml = false): string {
  const { parts, errors } = parseTemplate(source, inHtml);
  expect(errors).toEqual([]);
  return parts
    .map((part) => (typeof part === 'string' ? part : part.expression.evaluate(values, moment)))
    .join('');
}

function errorsOf(source: string) {
  return parseTemplate(source).errors.map(({ code, position }) => [code, position]);
}

describe('merge tags', () => {
  it.each([
    ['Hi {{firstname}}!', 'Hi ada!'],
    ['Hi {{ firstname }}', 'Hi ada'],
    ['Hi {$firstname}', 'Hi ada'],
    ['{{ lastname | default: "friend" }}', 'friend'],
    ["{{ missing | fallback: 'you' | upcase }}", 'YOU'],
    ['{{ firstname | capitalize }}', 'Ada'],
    ['{{ firstname | upcase | downcase }}', 'ada'],
    ['{{ firstname | append: "!" | prepend: "¡" }}', '¡ada!'],
    ['{{ email | truncate: 5 }}', 'ada@…'],
    // A family emoji, a flag and a letter with a combining mark count as one character each.
    ['{{ "👩‍👩‍👧‍👦🇳🇴e\u0301xyz" | truncate: 4 }}', '👩‍👩‍👧‍👦🇳🇴é…'.normalize('NFD')],
    ['{{ "👩‍👩‍👧‍👦🇳🇴" | truncate: 2 }}', '👩‍👩‍👧‍👦🇳🇴'],
    ['{{ "می‌خواهم" | truncate: 3, "" }}', 'می‌خ'],
    ['{{ points | round: 1 }}', '12.3'],
    ['{{ points }}', '12.345'],
    ['{{ born | date: "%d.%m.%Y" }}', '10.12.1985'],
    ['{{ born | date: "%-d %B %Y, %A" }}', '10 December 1985, Tuesday'],
    ['{{ born | date: "%-d %B %Y, %A", "persian" }}', '19 Azar 1364, Tuesday'],
    ['{{ born | date: "%Y/%m/%d %y", "jalali" }}', '1364/09/19 64'],
    ['{{ born | date: "%d.%m.%Y", "gregorian" }}', '10.12.1985'],
    ['© {{ "now" | date: "%Y" }}', '© 2026'],
    ['{{ firstname | date: "%Y" }}', 'ada'],
    ['{{ order.number }} {{order.lines.first}}', 'A-17 Tea'],
    ['{{ order }}', ''],
    ['{{ "}}" }} and } and {x}', '}} and } and {x}'],
    ['price: {5}, {$ 5}, { {firstname} }', 'price: {5}, {$ 5}, { {firstname} }'],
  ])('%s is filled as %s', (source, text) => {
    expect(fill(source)).toBe(text);
  });

  it('merge tags are parsed as editors write them into HTML', () => {
    expect(fill('{{ lastname | default: &quot;friend&quot; }}', ada, true)).toBe('friend');
    expect(fill('{{&nbsp;firstname | default: “you” }}', ada, true)).toBe('ada');
    expect(fill('{{ <b>firstname</b> }}', ada, true)).toBe('ada');
    expect(fill('{{&#160;firstname }}', ada, true)).toBe('ada');
    expect(fill('{{&#xa0;firstname&ensp;}}', ada, true)).toBe('ada');
    for (const [open, close] of [
      ['&#8220;', '&#8221;'],
      ['&#x22;', '&#x22;'],
      ['&#x201C;', '&#x201d;'],
      ['&laquo;', '&raquo;'],
      ['&#8216;', '&#8217;'],
      ['&bdquo;', '&ldquo;'],
    ]) {
      const tag = `{{ lastname | default: ${open}friend${close} }}`;
      expect(fill(tag, ada, true), tag).toBe('friend');
    }
  });

  it.each([
    ['a {{ firstname', [['tag_unclosed', 2]]],
    ['{{ }}', [['tag_empty', 0]]],
    ['{{firstname}} {{ a b }}', [['tag_not_understood', 14]]],
    ['{{ a == b }}', [['tag_not_understood', 0]]],
    ['{{ a or b }}', [['tag_not_understood', 0]]],
    ['{{ (1..9) }}', [['tag_not_understood', 0]]],
    ['{{ a[0] }}', [['tag_not_understood', 0]]],
    ['{{ a | }}', [['tag_not_understood', 0]]],
    ['{{ a | default: "x }}', [['tag_filter_arguments', 0]]],
    ['{{ "x }}', [['tag_not_understood', 0]]],
    ['{{ a | default }}', [['tag_filter_arguments', 0]]],
    ['{{ a | default: b }}', [['tag_filter_arguments', 0]]],
    ['{{ a | upcase: 1 }}', [['tag_filter_arguments', 0]]],
    ['{{ a | eval: "x" }}', [['tag_filter_unknown', 0]]],
    [
      '{% for i in (1..99999999) %}x{% endfor %}',
      [
        ['tag_control_flow', 0],
        ['tag_control_flow', 29],
      ],
    ],
    ['x {%- if a -%}', [['tag_control_flow', 2]]],
    [`{{ a | append: "${'x'.repeat(600)}" }}`, [['tag_too_long', 0]]],
    [`{{ a ${'| upcase '.repeat(11)} }}`, [['tag_too_long', 0]]],
  ])('the errors in %s are reported', (source, errors) => {
    expect(errorsOf(source as string)).toEqual(errors);
  });

  it('merge tags do not read inherited properties of the values', () => {
    const names = ['constructor', '__proto__', 'toString', 'order.constructor', 'hasOwnProperty'];
    for (const name of names) expect(fill(`{{ ${name} }}`)).toBe('');
  });

  it('the parsed parts reproduce any source, and parsing never throws', () => {
    const fragment = fc.constantFrom(
      '{{',
      '}}',
      '{$',
      '}',
      '"',
      "'",
      '|',
      ':',
      ' ',
      'a',
      'default',
      '{%',
      '%}',
      '\n',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(fragment).map((list) => list.join('')),
          fc.string(),
        ),
        (source) => {
          const { parts } = parseTemplate(source);
          expect(
            parts.map((part) => (typeof part === 'string' ? part : part.source)).join(''),
          ).toBe(source);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('a megabyte of opening braces is searched within three seconds of CPU time', () => {
    const cpuStart = process.cpuUsage();
    parseTemplate('{{'.repeat(500_000));
    parseTemplate('{{ "'.repeat(250_000));
    expect(process.cpuUsage(cpuStart).user / 1000).toBeLessThan(3000);
  });
});

it('forty merge tags, each with a hundred month names, share one formatter', () => {
  const formatSpy = vi.spyOn(Intl, 'DateTimeFormat');
  const tags = `{{ "now" | date: "${'%B'.repeat(100)}" }}`.repeat(40);
  const moment = { now: new Date('2026-03-05T14:07:09Z'), locale: 'nn' };
  const { parts } = parseTemplate(tags);
  const renderedTexts = parts.map((part) =>
    typeof part === 'string' ? part : part.expression.evaluate({}, moment),
  );
  expect(renderedTexts.join('')).toBe('mars'.repeat(4000));
  expect(formatSpy.mock.calls.length).toBeLessThanOrEqual(1);
  formatSpy.mockRestore();
});
