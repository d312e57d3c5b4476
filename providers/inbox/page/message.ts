// One message: HTML, text, source, headers and attachments.
import type { Language } from '#platform/languages.ts';
import type { Entry } from '../segment.ts';
import { frame, type Words, wordsIn } from './frame.ts';
import { type Html, html } from './html.ts';
import type { Mail } from './mail.ts';

export interface MessagePage {
  readonly entry: Entry;
  readonly source: Buffer;
  readonly mail: Mail;
  readonly view: string | undefined;
  readonly newer: number | undefined;
  readonly older: number | undefined;
}

const VIEWS = ['html', 'text', 'source', 'headers'] as const;
type View = (typeof VIEWS)[number];
const LONGEST_SHOWN = 2_000_000;

export function messagePage(language: Language, page: MessagePage): string {
  const words = wordsIn(language);
  const { t } = words;
  const { entry } = page;
  const subject = entry.subject || t('noSubject');
  const view = viewOf(page);
  const main = html`<nav class="above" aria-label="${t('message')}">
<a href="/inbox">${t('back')}</a>
<span class="buttons">
${page.newer !== undefined && html`<a class="button" rel="prev" href="/inbox/messages/${page.newer}?view=${view}">${t('newer')}</a>`}
${page.older !== undefined && html`<a class="button" rel="next" href="/inbox/messages/${page.older}?view=${view}">${t('older')}</a>`}
</span></nav>
<h1><bdi>${subject}</bdi></h1>
<dl class="facts">
<dt>${t('from')}</dt><dd><bdi>${entry.from}</bdi></dd>
<dt>${t('to')}</dt><dd><bdi>${entry.to}</bdi></dd>
<dt>${t('received')}</dt><dd>${words.time(entry.receivedAt)}</dd>
<dt>${t('size')}</dt><dd>${words.bytes(entry.size)}</dd>
</dl>
${attachments(page, words)}
<nav class="tabs" aria-label="${t('views')}">${VIEWS.map((one) => tab(one, view, entry, words))}</nav>
${body(page, view, words)}`;
  return frame(language, subject, main);
}

function viewOf({ view, mail }: MessagePage): View {
  const asked = VIEWS.find((one) => one === view);
  return asked ?? (mail.html !== '' ? 'html' : 'text');
}

function tab(view: View, current: View, entry: Entry, { t }: Words): Html {
  const address = `/inbox/messages/${entry.id}?view=${view}`;
  return html`<a href="${address}"${view === current && html` aria-current="page"`}>${t(`view.${view}`)}</a>`;
}

function body({ entry, source, mail }: MessagePage, view: View, { t }: Words): Html {
  switch (view) {
    case 'html':
      return mail.html === ''
        ? html`<p class="muted none">${t('noHtml')}</p>`
        : html`<iframe class="letter" title="${t('view.html')}" src="/inbox/messages/${entry.id}/html" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`;
    case 'text':
      return mail.text === ''
        ? html`<p class="muted none">${t('noText')}</p>`
        : html`<pre class="letter" dir="auto" tabindex="0">${mail.text.slice(0, LONGEST_SHOWN)}</pre>`;
    case 'source':
      return html`<p><a href="/inbox/api/messages/${entry.id}" download="${entry.id}.eml">${t('download')}</a></p>
<pre class="letter code" dir="ltr" tabindex="0">${source.toString('utf8', 0, LONGEST_SHOWN)}</pre>`;
    case 'headers':
      return html`<table class="headers" dir="ltr"><caption class="unseen">${t('view.headers')}</caption><colgroup><col class="name"><col></colgroup><tbody>${mail.headers.map(
        ({ name, value }) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`,
      )}</tbody></table>`;
  }
}

function attachments({ entry, mail }: MessagePage, { t, bytes }: Words): Html | undefined {
  if (mail.attachments.length === 0) {
    return undefined;
  }
  return html`<h2 class="small">${t('attachments')}</h2>
<ul class="attachments">${mail.attachments.map(
    ({ name, content }, at) =>
      html`<li><a href="/inbox/messages/${entry.id}/attachments/${at}"><bdi>${name}</bdi></a> <span class="muted">${bytes(content.length)}</span></li>`,
  )}</ul>`;
}
