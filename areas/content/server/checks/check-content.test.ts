// Checks before sending: each finding has a code, a severity and a location, and the worst are
// listed first.
import { describe, expect, it } from 'vitest';
import { checkContent } from './check-content.ts';
import type { MessageSource } from '../personalization/message-source.ts';
import { sampleSource } from '../sample-source.ts';

function codes(changes: Partial<MessageSource>, names: string[] = []): string[] {
  return checkContent(sampleSource({ preheader: 'p', ...changes }), names).map(
    (finding) => `${finding.severity} ${finding.code}`,
  );
}

const fine = `<p>${'Tea. '.repeat(40)}Storgata 1</p><a href="https://tea.example">x</a><a href="{{unsubscribe_link}}">u</a>`;

describe('content designed to be slow to check', () => {
  const unknown = (count: number) =>
    Array.from({ length: count }, (_, i) => `{{ no_${i} }}`).join(' ');

  it.each<[string, Partial<MessageSource>]>([
    ['punctuation after a URL', { text: `https://x${','.repeat(400_000)}a` }],
    ['tags between the values of a tag', { html: `<a ${'x {{ a }} '.repeat(60_000)}>x</a>` }],
    ['unknown names', { html: unknown(40_000) }],
  ])('content with %s is checked within the time limit', (_, changes) => {
    const startUsage = process.cpuUsage();
    const findings = checkContent(sampleSource(changes), []);
    expect(findings.length).toBeLessThan(350);
    // Takes half a second; a quadratic algorithm took minutes.
    expect(process.cpuUsage(startUsage).user / 1000).toBeLessThan(6_000);
  });
});

describe('content checks', () => {
  it('a correct email has no findings', () => {
    expect(codes({ html: fine })).toEqual([]);
  });

  it.each<[string, Partial<MessageSource>, string[]]>([
    ['no subject', { subject: ' ' }, ['error subject_missing']],
    ['a too long subject', { subject: 'x'.repeat(300) }, ['error subject_too_long']],
    ['a long subject', { subject: 'x'.repeat(80) }, ['tip subject_long']],
    ['no preheader', { preheader: '' }, ['tip preheader_missing']],
    ['no sender', { from: { name: '', email: '' } }, ['error sender_missing']],
    [
      'no postal address of the account',
      { postal_address: '', street: '' },
      ['error postal_address_missing'],
    ],
    ['a size that inboxes clip', { html: fine + 'x'.repeat(110_000) }, ['warning size_clipped']],
    ['too large content', { html: 'x'.repeat(5_000_000) }, ['error too_large']],
    [
      'no content',
      { html: '<p> </p><a href="{{unsubscribe_link}}"></a>' },
      ['error content_empty', 'tip no_links'],
    ],
    [
      'an image without alt',
      { html: `${fine}<img src="https://a.example/x.png">` },
      ['warning image_without_alt'],
    ],
    [
      'only images',
      {
        html: `<img src="https://i.example/x.png" alt=""><a href="https://tea.example">x</a>{{unsubscribe_link}}{{postal_address}}`,
      },
      ['tip images_mostly'],
    ],
    [
      'no unsubscribe link',
      { html: fine.replace('{{unsubscribe_link}}', '#x') },
      ['tip unsubscribe_added'],
    ],
    [
      'no postal address in the content',
      { html: fine.replace('Storgata 1', '') },
      ['tip postal_address_added'],
    ],
    ['a script', { html: `${fine}<script>alert(1)</script>` }, ['error script']],
    [
      'structured data',
      { html: `${fine}<script type="application/ld+json">{"a":{"b":1}}</script>` },
      [],
    ],
    ['an event handler', { html: `${fine}<p onclick="x()">` }, ['warning event_handler']],
    ['a form', { html: `${fine}<form action="/">` }, ['warning element_unsupported']],
    ['a relative link', { html: `${fine}<a href="/shop">x</a>` }, ['warning link_relative']],
    ['an empty link', { html: `${fine}<a href="#">x</a>` }, ['warning link_empty']],
    ...[
      'http://',
      'https://',
      'http:///x',
      'http://http://tea.example/',
      'http://mailto:a@b.example',
      'https://*|UNSUB|*',
      'file:///C:/a.html',
      'blob:https://a.example/1',
      'cid:1',
      'http://localhost:3000/',
      'https://127.0.0.1/x',
      'https://te a.example/',
    ].map((href): [string, object, string[]] => [
      `an unusable link: ${href}`,
      { html: `${fine}<a href="${href}">x</a>` },
      [...(href.includes('*|') ? ['warning tag_foreign'] : []), 'warning link_unusable'].sort(),
    ]),
    ...[
      'https://tea.example/?e=%7B%7Bemail%7D%7D',
      '%7B%7Bunsubscribe_link%7D%7D',
      'https://tea.example/%7b%24email%7d',
    ].map((href): [string, object, string[]] => [
      `an encoded merge tag: ${href}`,
      { html: `${fine}<a href="${href}">x</a>` },
      ['warning link_tag_encoded'],
    ]),
    ...[
      'cid:image001.png@01DA0000',
      'file:///C:/Users/ona/clip.png',
      'data:image/png;base64,AAAA',
      'blob:https://app.example/1',
      'images/logo.png',
      '/logo.png',
      'http://localhost:3000/x.png',
      'http://[::1]/x.png',
      '',
      'https://',
    ].map((src): [string, object, string[]] => [
      `an unusable image: ${src}`,
      { html: `${fine}<img src="${src}" alt="Tea">` },
      ['warning image_unusable'],
    ]),
    [
      'usable images',
      {
        html: `${fine}<img src="https://i.example/{{firstname | default: 'x'}}.png" alt="Tea"><img src="//i.example/x.png" alt="Tea"><img src="{{firstname | default: 'x'}}" alt="Tea">`,
      },
      [],
    ],
    [
      'a scheme before the unsubscribe link',
      { html: `${fine}<a href="http://{{unsubscribe_link}}">x</a>` },
      [],
    ],
    [
      'a link that runs code',
      { html: `${fine}<a href=" JaVaScript:x()">x</a>` },
      ['error link_dangerous'],
    ],
    [
      'braces in a comment and in styles',
      { html: `${fine}<!-- {{ nobody }} --><style>.a::after{content:"{{"}</style>` },
      [],
    ],
    ['control flow', { html: `${fine}{% if x %}` }, ['error tag_control_flow']],
    ['an empty merge tag', { html: `${fine}{{ }}` }, ['error tag_empty']],
    [
      'an unknown name',
      { html: `${fine}{{ nope }}{{ nope | default: "x" }}` },
      ['error tag_unknown'],
    ],
    ['a link in the subject', { subject: '{{unsubscribe_link}}' }, ['error tag_not_here']],
    ['an empty text email', { html: null, text: ' ' }, ['error content_empty']],
  ])('the findings for $0 are $2', (_, changes, expected) => {
    const findings = codes({ html: fine, subject: 'Tea', ...changes });
    expect(
      findings.filter(
        (code) => !/unsubscribe_added|postal_address_added/.test(code) || expected.includes(code),
      ),
    ).toEqual(expected);
  });

  it('a finding contains the position of a merge tag that may be empty', () => {
    const [found] = checkContent(
      sampleSource({ html: `${fine}\n  {{city}}`, subject: 'x', preheader: 'p' }),
      ['city'],
    );
    expect(found).toEqual({
      code: 'tag_without_fallback',
      severity: 'warning',
      part: 'html',
      line: 2,
      column: 3,
      values: { tag: '{{city}}', name: 'city' },
    });
  });

  it('the most severe findings are listed first', () => {
    const findings = checkContent(
      sampleSource({ html: '<script></script><p onclick="x">', preheader: '' }),
      [],
    );
    const order = findings.map((finding) => ['error', 'warning', 'tip'].indexOf(finding.severity));
    expect(order).toEqual([...order].sort());
    expect(new Set(order).size).toBe(3);
  });
});
