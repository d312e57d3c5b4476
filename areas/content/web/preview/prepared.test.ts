// Preparation of an email for its preview: light or dark regardless of the device, without images,
// without web fonts.
import { expect, test } from 'vitest';
import { preparePage } from './prepared.ts';

const EMAIL = `<!doctype html><html><head><link href="https://fonts.bunny.net/css?family=lato:400" rel="stylesheet"><link rel="stylesheet" href="http://mail.example/i/fonts/lora.css?w=400">
<style>@import url(https://fonts.bunny.net/css?family=lato:400);
@media (prefers-color-scheme:dark){body{color:#fff}} @media (prefers-color-scheme: light){p{color:#000}}</style></head>
<body background="https://a.example/b.png" style="background:#eee url('https://a.example/c.png') top"><img src="https://a.example/d.png" srcset="https://a.example/d2.png 2x" alt="A chair"></body></html>`;

test('an email is dark or light as requested', () => {
  expect(preparePage(EMAIL, true)).toContain('@media (min-width:0px){body');
  expect(preparePage(EMAIL, true)).toContain('@media (max-width:0px){p');
  expect(preparePage(EMAIL, false)).toContain('@media (max-width:0px){body');
});

test('links open in a new tab and no fonts are loaded', () => {
  const html = preparePage(EMAIL);
  expect(html).toContain('<head><base target="_blank">');
  expect(html).not.toContain('bunny');
  expect(html).not.toContain('i/fonts');
  expect(html).toContain('https://a.example/d.png');
  expect(preparePage('<!doctype html><p>x')).toBe('<!doctype html><base target="_blank"><p>x');
});

test('alternative text is shown if images are off', () => {
  const html = preparePage(EMAIL, false, false);
  expect(html).not.toContain('a.example');
  expect(html).toContain('<img src="data:," alt="A chair">');
});
