// @vitest-environment jsdom
// Emails as Gmail and Outlook show them: what is removed, what remains, and Outlook's comments.
import { expect, test } from 'vitest';
import { parseDeclarations, parseRules } from './client-css.ts';
import { CLIENT_RULES, type ClientRuleName, type MailClient } from './client-rules.ts';
import { simulateClient, holdsInOutlook } from './client-view.ts';

const page = (body: string, head = '') =>
  `<!doctype html><html><head>${head}</head><body>${body}</body></html>`;
const inline = (style: string, tag = 'div') => page(`<${tag} style="${style}">x</${tag}>`);

/** An email for each rule, with a pattern of the part that the rule removes. */
const CASES: Record<ClientRuleName, { html: string; removed: RegExp }> = {
  style_in_body: { html: page('<style>p{color:red}</style>'), removed: /<style>p/ },
  media_queries: {
    html: page('', '<style>@media (max-width:480px){p{color:red}}</style>'),
    removed: /@media/,
  },
  dark_mode: {
    html: page('', '<style>@media (prefers-color-scheme:dark){p{color:red}}</style>'),
    removed: /@media/,
  },
  web_fonts: {
    html: page('', '<style>@font-face{font-family:A;src:url(a.woff2)}</style>'),
    removed: /@font-face/,
  },
  attribute_selectors: {
    html: page('', '<style>a[href]{color:red}</style>'),
    removed: /a\[href\]/,
  },
  background_images: {
    html: inline('background:#eeeeee url(https://a.example/b.png) top'),
    removed: /url\(/,
  },
  round_corners: { html: inline('border-top-left-radius:8px'), removed: /radius/ },
  max_width: { html: inline('max-width:600px'), removed: /max-width/ },
  shadows: { html: inline('box-shadow:0 1px 2px #000'), removed: /shadow/ },
  opacity: { html: inline('opacity:0.5'), removed: /opacity/ },
  positions: { html: inline('position:absolute'), removed: /position/ },
  transforms: { html: inline('transform:rotate(3deg)'), removed: /transform/ },
  displays: { html: inline('display:flex'), removed: /display/ },
  paddings: { html: inline('padding:0 12px'), removed: /padding/ },
  margins: { html: inline('margin:0 -12px'), removed: /margin/ },
  svg: { html: page('<svg><path d="M0 0"/></svg>'), removed: /<svg/ },
  svg_images: { html: page('<img src="https://a.example/logo.SVG">'), removed: /logo/ },
  forms: { html: page('<form>Name</form>'), removed: /<form/ },
  form_fields: { html: page('<input name="a">'), removed: /<input/ },
  videos: { html: page('<video><p>Watch</p></video>'), removed: /<video/ },
};

test.each(Object.entries(CASES))('%s is removed if it is not supported', (key, example) => {
  const name = key as ClientRuleName;
  for (const client of ['gmail', 'outlook'] as MailClient[]) {
    const hasRule = (CLIENT_RULES[name].clients as readonly MailClient[]).includes(client);
    const { html, appliedRules } = simulateClient(example.html, client);
    if (hasRule) {
      expect(html).not.toMatch(example.removed);
      expect(appliedRules).toContain(name);
    } else {
      expect(appliedRules).not.toContain(name);
    }
  }
  expect(CLIENT_RULES[name].source).toMatch(/^https:\/\/www\.caniemail\.com\/features\/[a-z-]+\/$/);
});

test('content and supported styles remain', () => {
  const email = page(
    '<form><p>Name</p></form><video>Watch <a href="https://a.example">here</a></video>' +
      '<table><tr><td style="padding:8px;background:#eee url(x.png);color:red">A; b</td></tr></table>',
    '<style>p{color:#111}@media only screen and (max-width:480px){.a{width:100%!important}}</style>',
  );
  const gmail = simulateClient(email, 'gmail').html;
  expect(gmail).toContain('@media only screen and (max-width:480px){.a{width:100%!important}}');
  expect(gmail).toContain('url(x.png)');
  const outlook = simulateClient(email, 'outlook').html;
  expect(outlook).toContain('p{color:#111}');
  expect(outlook).toContain('<p>Name</p>');
  expect(outlook).toContain('Watch <a href="https://a.example">here</a>');
  expect(outlook).toContain('padding:8px;background:#eee;color:red');
  expect(simulateClient(page('<p style="color:red">x</p>'), 'outlook').appliedRules).toEqual([]);
});

test('Outlook keeps padding in rules for cells and removes it in rules for links', () => {
  const head = '<style>.a td{padding:8px}a.b{padding:4px;color:red}.c{padding:1px}</style>';
  const { html } = simulateClient(page('', head), 'outlook');
  expect(html).toContain('.a td{padding:8px}');
  expect(html).toContain('a.b{color:red}');
  expect(html).toContain('.c{padding:1px}');
});

test('Outlook shows its conditional comments and hides content for other clients', () => {
  const email = page(
    '<!--[if mso | IE]><table width="600"><tr><td><![endif]--><p>Both</p><!--[if mso]></td></tr></table><![endif]-->' +
      '<!--[if !mso]><!--><p>Others</p><!--<![endif]-->' +
      '<td style="mso-padding-alt:14px 28px">x</td>',
  );
  const outlook = simulateClient(email, 'outlook').html;
  expect(outlook).toContain(
    '<table width="600"><tbody><tr><td><p>Both</p></td></tr></tbody></table>',
  );
  expect(outlook).not.toContain('Others');
  const gmail = simulateClient(email, 'gmail').html;
  expect(gmail).toContain('<p>Others</p>');
  expect(new DOMParser().parseFromString(gmail, 'text/html').querySelector('table')).toBeNull();
});

test('Outlook settings in the head are not shown, and styles after them remain', () => {
  const settings =
    '<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->';
  const email = page('<p>Both</p>', `${settings}<style>.c{color:#111111}</style>`);
  const { html, appliedRules } = simulateClient(email, 'outlook');
  expect(new DOMParser().parseFromString(html, 'text/html').body.textContent).toBe('Both');
  expect(html).toContain('.c{color:#111111}');
  expect(appliedRules).toEqual([]);
});

test('Outlook shows VML background images', () => {
  const email = page(
    '<!--[if mso]><v:rect fill="true"><v:fill src="https://a.example/b.png" color="#eeeeee" /><v:textbox><![endif]--><p>x</p><!--[if mso]></v:textbox></v:rect><![endif]-->',
  );
  const { html } = simulateClient(email, 'outlook');
  expect(html).toMatch(
    /<v:rect[^>]*background-image: url\(&quot;https:\/\/a\.example\/b\.png&quot;\)/,
  );
});

test.each([
  ['mso', true],
  ['!mso', false],
  ['mso | IE', true],
  ['IE', false],
  ['gte mso 9', true],
  ['lt mso 15', false],
  ['(gte mso 9)&(lt mso 20)', true],
  ['mso 12', false],
  ['!(mso)', false],
])('the condition %s is evaluated for Outlook', (condition, expected) => {
  expect(holdsInOutlook(condition)).toBe(expected);
});

test('style sheets are split at braces and semicolons outside strings, comments and parentheses', () => {
  expect(parseRules('@import "a;b{"; /* } */ a::after{content:"}"} @media x{b{c:d}} {')).toEqual([
    { prelude: '@import "a;b{"', body: undefined },
    { prelude: 'a::after', body: 'content:"}"' },
    { prelude: '@media x', body: 'b{c:d}' },
  ]);
  expect(
    parseDeclarations("background:url(data:image/png;base64,x); font-family:'a;b';;x"),
  ).toEqual([
    { property: 'background', value: 'url(data:image/png;base64,x)' },
    { property: 'font-family', value: "'a;b'" },
  ]);
});
