// The page of one message: its HTML, text, source, headers and attachments.
import type { Language } from '#platform/languages.ts';
import type { InboxEntry } from '../segment.ts';
import { frame, type PageTexts, textsIn } from './frame.ts';
import { type Html, html } from './html.ts';
import type { ParsedEmail } from './email.ts';

export interface MessagePageData {
  readonly entry: InboxEntry;
  readonly source: Buffer;
  readonly email: ParsedEmail;
  readonly view: string | undefined;
  readonly newerId: number | undefined;
  readonly olderId: number | undefined;
}

const VIEWS = ['html', 'text', 'source', 'headers'] as const;
type MessageView = (typeof VIEWS)[number];
const MAX_SHOWN_LENGTH = 2_000_000;

export function renderMessagePage(language: Language, page: MessagePageData): string {
  const texts = textsIn(language);
  const { t } = texts;
  const { entry } = page;
  const subject = entry.subject || t('noSubject');
  const view = viewOf(page);
  const main = html`<nav class="above" aria-label="${t('message')}">
<a href="/inbox">${t('back')}</a>
<span class="buttons">
${page.newerId !== undefined && html`<a class="button" rel="prev" href="/inbox/messages/${page.newerId}?view=${view}">${t('newer')}</a>`}
${page.olderId !== undefined && html`<a class="button" rel="next" href="/inbox/messages/${page.olderId}?view=${view}">${t('older')}</a>`}
</span></nav>
<h1><bdi>${subject}</bdi></h1>
<dl class="facts">
<dt>${t('from')}</dt><dd><bdi>${entry.from}</bdi></dd>
<dt>${t('to')}</dt><dd><bdi>${entry.to}</bdi></dd>
<dt>${t('received')}</dt><dd>${texts.formatTime(entry.receivedAt)}</dd>
<dt>${t('size')}</dt><dd>${texts.formatBytes(entry.size)}</dd>
</dl>
${attachments(page, texts)}
<nav class="tabs" aria-label="${t('views')}">${VIEWS.map((name) => tab(name, view, entry, texts))}</nav>
${body(page, view, texts)}`;
  return frame(language, subject, main);
}

function viewOf({ view, email }: MessagePageData): MessageView {
  const requestedView = VIEWS.find((name) => name === view);
  return requestedView ?? (email.html !== '' ? 'html' : 'text');
}

function tab(
  view: MessageView,
  currentView: MessageView,
  entry: InboxEntry,
  { t }: PageTexts,
): Html {
  const address = `/inbox/messages/${entry.id}?view=${view}`;
  return html`<a href="${address}"${view === currentView && html` aria-current="page"`}>${t(`view.${view}`)}</a>`;
}

function body(
  { entry, source, email }: MessagePageData,
  view: MessageView,
  { t }: PageTexts,
): Html {
  switch (view) {
    case 'html':
      return email.html === ''
        ? html`<p class="muted none">${t('noHtml')}</p>`
        : html`<iframe class="content" title="${t('view.html')}" src="/inbox/messages/${entry.id}/html" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`;
    case 'text':
      return email.text === ''
        ? html`<p class="muted none">${t('noText')}</p>`
        : html`<pre class="content" dir="auto" tabindex="0">${email.text.slice(0, MAX_SHOWN_LENGTH)}</pre>`;
    case 'source':
      return html`<p><a href="/inbox/api/messages/${entry.id}" download="${entry.id}.eml">${t('download')}</a></p>
<pre class="content code" dir="ltr" tabindex="0">${source.toString('utf8', 0, MAX_SHOWN_LENGTH)}</pre>`;
    case 'headers':
      return html`<table class="headers" dir="ltr"><caption class="unseen">${t('view.headers')}</caption><colgroup><col class="name"><col></colgroup><tbody>${email.headers.map(
        ({ name, value }) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`,
      )}</tbody></table>`;
  }
}

function attachments(
  { entry, email }: MessagePageData,
  { t, formatBytes }: PageTexts,
): Html | undefined {
  if (email.attachments.length === 0) {
    return undefined;
  }
  return html`<h2 class="small">${t('attachments')}</h2>
<ul class="attachments">${email.attachments.map(
    ({ name, content }, index) =>
      html`<li><a href="/inbox/messages/${entry.id}/attachments/${index}"><bdi>${name}</bdi></a> <span class="muted">${formatBytes(content.length)}</span></li>`,
  )}</ul>`;
}
