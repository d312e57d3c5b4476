// Link redirects of an email: each stores the URL that the author meant.
import { describe, expect, it } from 'vitest';
import { compileMessage } from '../mime/compile-message.ts';
import { sampleSource } from '../sample-source.ts';

const linksOf = (html: string) =>
  compileMessage(sampleSource({ html, text: 'Tea' })).links.map(({ url }) => url);
const longUrl = `https://x.example/${'a'.repeat(9_000)}`;

describe('links', () => {
  it.each([
    ['a fragment', 'https://x.example/a?b=1#part', 'https://x.example/a?b=1#part'],
    ['entities', 'https://x.example/a?b=1&amp;c=2&#38;d=3', 'https://x.example/a?b=1&c=2&d=3'],
    ['a bare ampersand', 'https://x.example/a?b=1&c=2', 'https://x.example/a?b=1&c=2'],
    ['non-ASCII letters', 'https://mün.example/ä?q=ü', 'https://mün.example/ä?q=ü'],
    ['nine thousand characters', longUrl, longUrl],
    ['a scheme in capitals', 'HTTP://up.example/', 'HTTP://up.example/'],
    ['blanks around them', ' https://x.example/ ', 'https://x.example/'],
    ['a line break', 'https://x.example/\nbroken', 'https://x.example/broken'],
    ['no scheme', '//x.example/a', 'https://x.example/a'],
    ['merge tags', 'https://x.example/{{firstname}}#a', 'https://x.example/{{firstname}}#a'],
  ])('links with %s are stored with the URL that the author meant', (_, written, storedUrl) => {
    expect(linksOf(`<p><a href="${written}">Tea</a></p>`)).toEqual([storedUrl]);
  });

  it.each([
    'mailto:a@b.example?subject=x%20y',
    'tel:+4712345678',
    'sms:+4712345678?body=hi',
    '#top',
    'viber://chat?number=1',
    'ftp://x.example/f',
    '{{ unsubscribe_link }}',
  ])('links to %s are not redirected', (address) => {
    expect(linksOf(`<p><a href="${address}">Tea</a></p>`)).toEqual([]);
  });

  it('links whose host comes from a recipient value are never redirected', () => {
    expect(linksOf('<p><a href="https://{{ website }}/a">Tea</a></p>')).toEqual([]);
    expect(linksOf('<p><a href="{{ website }}">Tea</a></p>')).toEqual([]);
  });

  it('links are labeled with their text in HTML, and with the URL as written in plain text', () => {
    const html = '<p><a href="https://x.example/{{firstname}}?u=1">Our <b>tea</b></a></p>';
    const { links } = compileMessage(sampleSource({ html, text: null }));
    expect(links.map(({ label }) => label)).toEqual([
      'Our tea',
      'https://x.example/{{firstname}}?u=1',
    ]);
  });

  it.each([
    ['See „https://x.example/lt“ and', 'https://x.example/lt'],
    ['See ‘https://x.example/q’ and', 'https://x.example/q'],
    ['See “https://x.example/q” and', 'https://x.example/q'],
    ['See «https://x.example/q» and', 'https://x.example/q'],
    ['See "https://x.example/q", and', 'https://x.example/q'],
    ["See 'https://x.example/q'.", 'https://x.example/q'],
    ['See https://x.example/more… or', 'https://x.example/more'],
    ['See https://x.example/d– end', 'https://x.example/d'],
    ['See https://x.example/cj，后面', 'https://x.example/cj'],
    ['See 「https://x.example/cj」。', 'https://x.example/cj'],
    ["See https://x.example/King's_Gambit and", "https://x.example/King's_Gambit"],
    ["See https://x.example/Jack+Astor's+Bar/data here", "https://x.example/Jack+Astor's+Bar/data"],
    ['See https://x.example/a_(b) and', 'https://x.example/a_(b)'],
    ['See (https://x.example/a).', 'https://x.example/a'],
    ['See https://x.example/سلام و', 'https://x.example/سلام'],
  ])('links in plain text end where the author meant: %s', (text, url) => {
    const { links } = compileMessage(sampleSource({ html: null, text }));
    expect(links.map((link) => link.url)).toEqual([url]);
  });
});
