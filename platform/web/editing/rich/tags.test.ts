// Merge tags are converted between document and editor; a round trip leaves unedited content
// unchanged.
import { describe, expect, it } from 'vitest';
import { fromElements, readTag, splitTags, toElements, withFallback } from './tags.ts';

describe('merge tags', () => {
  it.each([
    '<p>Dear {{firstname | default: "friend"}}!</p>',
    '<p>Dear {{ firstname | capitalize | default: "a &amp; b" }}!</p>',
    '<p>{$old_field} and {{order.number}}</p>',
    '<p><a href="{{unsubscribe_link}}">{{unsubscribe_text}}</a></p>',
    '<p>{{ not closed</p>',
  ])('round-trip unchanged: %s', (html) => {
    expect(fromElements(toElements(html))).toBe(html);
  });

  it('merge tags are parsed and accept another fallback, with other filters kept', () => {
    expect(readTag('{{ firstname | capitalize | default: "friend" }}')).toEqual({
      name: 'firstname',
      fallback: 'friend',
    });
    expect(readTag('{$firstname}')).toEqual({ name: 'firstname', fallback: null });
    expect(withFallback('{{ firstname | capitalize }}', 'you "all"')).toBe(
      '{{firstname | default: "you ”all”" | capitalize}}',
    );
    expect(withFallback('{{firstname | default: "x" | upcase}}', null)).toBe(
      '{{firstname | upcase}}',
    );
    expect(withFallback('{$firstname}', 'you')).toBe('{{firstname | default: "you"}}');
  });

  it('merge tags are split from the text around them', () => {
    expect(splitTags('Dear {{ firstname | default: "you}" }}, {$old} {{ open')).toEqual([
      'Dear ',
      { raw: '{{ firstname | default: "you}" }}' },
      ', ',
      { raw: '{$old}' },
      ' {{ open',
    ]);
    expect(splitTags('')).toEqual([]);
  });
});

it('fromElements writes colors of styles as hex codes and leaves text that looks like a color unchanged', () => {
  expect(fromElements('<p style="color: rgb(1, 20, 255)">rgb(1, 20, 255) is blue</p>')).toBe(
    '<p style="color: #0114ff">rgb(1, 20, 255) is blue</p>',
  );
});
