// The list of messages: search, pages, and an explanation of the inbox.
import type { Language } from '#platform/languages.ts';
import type { InboxEntry } from '../segment.ts';
import { MAX_MESSAGES } from '../store.ts';
import { frame, type PageTexts, textsIn } from './frame.ts';
import { type Html, html } from './html.ts';

export interface ListPage {
  readonly messages: readonly InboxEntry[];
  /** The number of matching messages. */
  readonly total: number;
  /** The number of stored messages. */
  readonly storedCount: number;
  readonly text: string;
  readonly offset: number;
  readonly limit: number;
  readonly port: number;
}

export function listPage(language: Language, page: ListPage): string {
  const texts = textsIn(language);
  const { t } = texts;
  const main = html`<div class="title"><h1>${t('title')}</h1>
<form class="search" role="search" action="/inbox">
<label class="unseen" for="q">${t('search')}</label>
<input id="q" name="q" type="search" value="${page.text}" placeholder="${t('search')}" autocomplete="off">
<button>${t('find')}</button>
</form></div>
<p class="muted lead">${t('about', { port: String(page.port), kept: texts.formatCount(MAX_MESSAGES) })}</p>
<div id="list" data-live="${page.offset === 0 ? 'yes' : 'no'}">
${page.messages.length > 0 ? table(page, texts) : renderEmptyList(page, texts)}
</div>`;
  return frame(language, t('title'), main);
}

function table(page: ListPage, texts: PageTexts): Html {
  const { t } = texts;
  return html`<table>
<caption class="unseen">${t('title')}</caption>
<thead><tr><th scope="col">${t('to')}</th><th scope="col">${t('subject')}</th><th scope="col" class="wide">${t('from')}</th><th scope="col" class="end">${t('received')}</th></tr></thead>
<tbody>${page.messages.map((entry) => row(entry, texts))}</tbody>
</table>
${pager(page, texts)}`;
}

function row(entry: InboxEntry, { t, formatTime }: PageTexts): Html {
  return html`<tr>
<td><bdi>${entry.to}</bdi></td>
<td><a class="open" href="/inbox/messages/${entry.id}"><bdi>${entry.subject || t('noSubject')}</bdi></a></td>
<td class="wide muted"><bdi>${entry.from}</bdi></td>
<td class="end muted"><time datetime="${new Date(entry.receivedAt).toISOString()}">${formatTime(entry.receivedAt)}</time></td>
</tr>`;
}

function pager(
  { offset, limit, total, text, messages }: ListPage,
  { t, formatCount }: PageTexts,
): Html {
  const firstNumber = formatCount(offset + 1);
  const lastNumber = formatCount(offset + messages.length);
  return html`<nav class="pager" aria-label="${t('pages')}">
<span class="muted">${t('shown', { from: firstNumber, to: lastNumber, total: formatCount(total) })}</span>
<span class="buttons">
${offset > 0 && html`<a class="button" rel="prev" href="${address(text, Math.max(0, offset - limit))}">${t('newer')}</a>`}
${offset + limit < total && html`<a class="button" rel="next" href="${address(text, offset + limit)}">${t('older')}</a>`}
</span></nav>`;
}

function renderEmptyList({ text, storedCount }: ListPage, { t }: PageTexts): Html {
  if (text !== '') {
    return html`<section class="empty"><h2>${t('nothingFound')}</h2>
<p class="muted">${t('nothingFoundHint', { text })}</p>
<p><a class="button" href="/inbox">${t('showAll')}</a></p></section>`;
  }
  return html`<section class="empty"><h2>${t(storedCount > 0 ? 'nothingHere' : 'empty')}</h2>
<p class="muted">${t('emptyHint')}</p></section>`;
}

function address(text: string, offset: number): string {
  const query = new URLSearchParams();
  if (text !== '') {
    query.set('q', text);
  }
  if (offset > 0) {
    query.set('offset', String(offset));
  }
  return query.size > 0 ? `/inbox?${query}` : '/inbox';
}
