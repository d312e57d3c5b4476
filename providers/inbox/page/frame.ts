// The layout of the inbox's pages: head, bar with the logo, and main part. Style and script are
// files, as the content security policy requires.
import { DIRECTION, type Language, LOCALE } from '#platform/languages.ts';
import { testToolLinks } from '#platform/server/http/test-tool-links.ts';
import { type ServerText, serverTexts } from '#platform/server/texts.ts';
import { Html, html } from './html.ts';

export interface PageTexts {
  readonly t: ServerText;
  readonly locale: string;
  formatCount(number: number): string;
  formatTime(milliseconds: number): string;
  formatBytes(size: number): string;
}

export function textsIn(language: Language): PageTexts {
  const locale = LOCALE[language];
  const number = new Intl.NumberFormat(locale);
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
  const kilobytes = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'kilobyte',
    maximumFractionDigits: 1,
  });
  return {
    t: serverTexts('inbox', language),
    locale,
    formatCount: (value) => number.format(value),
    formatTime: (milliseconds) => time.format(milliseconds),
    formatBytes: (size) => kilobytes.format(size / 1_000),
  };
}

export function frame(language: Language, title: string, main: Html): string {
  const { t, locale } = textsIn(language);
  const page = html`<!doctype html>
<html lang="${locale}" dir="${DIRECTION[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Sendloom</title>
<link rel="icon" href="/inbox/files/mark.svg">
<link rel="stylesheet" href="/inbox/files/inbox.css">
<script src="/inbox/files/inbox.js"></script>
</head>
<body>
<a class="skip" href="#main">${t('skip')}</a>
<header class="bar">
<a class="brand" href="/inbox"><img src="/inbox/files/mark.svg" width="26" height="26" alt=""> <span>Sendloom</span> <span class="muted">${t('title')}</span></a>
<a href="/">${t('toProduct')}</a>
</header>
${new Html(testToolLinks(language, 'inbox'))}
<main id="main">${main}</main>
</body>
</html>
`;
  return page.text;
}
