// The page of the built-in phone: the list of recipients, and one conversation with a field to
// reply.
import { escapeHtml } from '#platform/server/http/public-page.ts';
import { DIRECTION, type Language, LOCALE } from '#platform/languages.ts';
import { TEST_TOOL_LINKS_STYLE, testToolLinks } from '#platform/server/http/test-tool-links.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { dark, light, type Palette } from '#platform/web/theme/tokens.ts';
import { type SmsConversation, MODES, type PhoneStore, type PhoneSms } from './store.ts';

const MAX_SHOWN = 200;

/** @param selectedNumber the phone number of the conversation to show; the newest by default */
export function phonePage(
  store: PhoneStore,
  language: Language,
  selectedNumber: string | undefined,
) {
  const t = serverTexts('sms', language);
  const conversations = store.conversations();
  const openConversation =
    conversations.find(({ remoteNumber }) => remoteNumber === selectedNumber) ??
    (selectedNumber === undefined ? conversations[0] : undefined);
  const modes = MODES.map(
    (mode) =>
      `<option value="${mode}"${mode === store.mode ? ' selected' : ''}>${t(`phone.modes.${mode}`)}</option>`,
  ).join('');
  const list = conversations
    .slice(0, MAX_SHOWN)
    .map((conversation) => row(conversation, conversation === openConversation, language));
  const body =
    conversations.length === 0
      ? `<p class="empty">${t('phone.empty')}</p>`
      : `<div class="both"><nav id="list" aria-label="${t('phone.conversations')}">${list.join('')}</nav>
${openConversation ? thread(store, openConversation, t) : `<p class="empty">${t('phone.none')}</p>`}</div>`;
  return `<!doctype html><html lang="${LOCALE[language]}" dir="${DIRECTION[language]}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${t('phone.title')} · Sendloom</title><style>${STYLE}</style><script src="/phone/phone.js"></script></head>
<body><header><h1>${t('phone.title')}</h1><form method="post" action="/phone/mode"><label>${t('phone.mode')}
<select name="mode">${modes}</select></label><button>${t('phone.set')}</button></form></header>${testToolLinks(language, 'phone')}<main>${body}</main></body></html>`;
}

function row(
  { remoteNumber, number, lastSms }: SmsConversation,
  isOpen: boolean,
  language: Language,
): string {
  const time = new Intl.DateTimeFormat(LOCALE[language], { timeStyle: 'short' }).format(lastSms.at);
  return `<a href="/phone?with=${encodeURIComponent(remoteNumber)}"${isOpen ? ' aria-current="page"' : ''}>
<b><bdi dir="ltr">${escapeHtml(remoteNumber)}</bdi></b> <time>${time}</time>
<span class="sub"><bdi dir="ltr">${escapeHtml(number)}</bdi></span><span class="preview" dir="auto">${escapeHtml(lastSms.text)}</span></a>`;
}

function thread(
  store: PhoneStore,
  { remoteNumber, number }: SmsConversation,
  t: ReturnType<typeof serverTexts>,
): string {
  const isInConversation = ({ from, to }: PhoneSms) =>
    (from === number && to === remoteNumber) || (from === remoteNumber && to === number);
  const bubbles = store
    .list(remoteNumber)
    .filter(isInConversation)
    .slice(0, MAX_SHOWN)
    .toReversed()
    .map(
      ({ direction, text }) => `<p class="${direction}" dir="auto">${links(escapeHtml(text))}</p>`,
    )
    .join('');
  const hidden = (name: string, value: string) =>
    `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;
  return `<section aria-label="${escapeHtml(remoteNumber)}"><h2><bdi dir="ltr">${escapeHtml(remoteNumber)}</bdi>
<span class="sub"><bdi dir="ltr">${escapeHtml(number)}</bdi></span></h2><div id="thread" role="log" tabindex="0" aria-label="${t('phone.conversation')}">${bubbles}</div>
<form method="post" action="/phone/reply">${hidden('from', remoteNumber)}${hidden('to', number)}
<input name="text" aria-label="${t('phone.reply')}" placeholder="${t('phone.reply')}" required autocomplete="off" dir="auto" maxlength="1600">
<button>${t('phone.reply')}</button></form></section>`;
}

const links = (text: string) =>
  text.replace(/https?:\/\/[^\s<]+/g, (url) => `<a href="${url}" rel="noreferrer">${url}</a>`);

/** Updates the list and the conversation as SMS arrive, but retains the text being typed. */
export const PHONE_SCRIPT = `
async function refresh() {
  if (document.hidden) return;
  try {
    const answer = await fetch(location.href);
    if (!answer.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
    for (const id of ['list', 'thread']) {
      const here = document.getElementById(id);
      const fresh = next.getElementById(id);
      if (here && fresh && here.innerHTML !== fresh.innerHTML && !here.contains(document.activeElement)) {
        here.innerHTML = fresh.innerHTML;
        if (id === 'thread') here.scrollTop = here.scrollHeight;
      }
      if (!here && fresh) location.reload();
    }
  } catch {
    // The server is stopped; the next attempt may succeed.
  }
}
const scheme = localStorage.getItem('mantine-color-scheme-value');
if (scheme === 'light' || scheme === 'dark') document.documentElement.dataset.theme = scheme;
document.addEventListener('DOMContentLoaded', () => {
  const thread = document.getElementById('thread');
  if (thread) thread.scrollTop = thread.scrollHeight;
});
setInterval(refresh, 2000);
`;

function colorVariables({
  canvas,
  surface,
  hover,
  text,
  muted,
  hairline,
  control,
  ...rest
}: Palette) {
  const { primary, onPrimary } = rest;
  return `--canvas:${canvas};--surface:${surface};--hover:${hover};--text:${text};--muted:${muted};--hairline:${hairline};--control:${control};--primary:${primary};--on-primary:${onPrimary}`;
}

const STYLE = `${TEST_TOOL_LINKS_STYLE}:root{color-scheme:light;${colorVariables(light)}}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;${colorVariables(dark)}}}
:root[data-theme=dark]{color-scheme:dark;${colorVariables(dark)}}
*{box-sizing:border-box}body{margin:0;font:14px/1.5 Inter,Vazirmatn,system-ui,sans-serif;background:var(--canvas);color:var(--text)}
header{display:flex;flex-wrap:wrap;gap:12px;align-items:center;justify-content:space-between;padding:12px 24px;background:var(--surface);border-block-end:1px solid var(--hairline)}
h1{font-size:18px;margin:0}h2{font-size:16px;margin:0;padding:12px 16px;border-block-end:1px solid var(--hairline);display:flex;gap:12px;align-items:baseline}
main{max-width:1080px;margin:0 auto;padding:24px}.both{display:grid;grid-template-columns:320px minmax(0,1fr);gap:16px;align-items:start}
nav,section{background:var(--surface);border:1px solid var(--hairline);border-radius:12px;overflow:hidden}
nav{max-height:calc(100vh - 130px);overflow-y:auto}nav a{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:0 8px;padding:10px 16px;color:var(--text);text-decoration:none;border-block-end:1px solid var(--hairline)}
nav a:last-child{border:0}nav a:hover,nav a[aria-current]{background:var(--hover)}nav time,.sub{color:var(--muted);font-size:12px;font-weight:400}
.preview{grid-column:1/-1;color:var(--muted);white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
#thread{padding:16px;display:flex;flex-direction:column;gap:8px;max-height:calc(100vh - 260px);overflow-y:auto}
#thread p{margin:0;padding:8px 14px;border-radius:16px;max-width:80%;white-space:pre-wrap;overflow-wrap:anywhere}
.out{background:var(--hover);align-self:flex-start;border:1px solid var(--hairline)}.in{background:var(--primary);color:var(--on-primary);align-self:flex-end}.in a{color:inherit}a{color:var(--primary)}
section form{display:flex;gap:8px;padding:12px 16px;border-block-start:1px solid var(--hairline)}header form,label{display:flex;gap:8px;align-items:center}
input,select,button{font:inherit;color:inherit;min-height:40px;padding:6px 12px;border:1px solid var(--control);border-radius:8px;background:var(--surface)}
section input{flex:1;min-width:0}button{cursor:pointer}section button{background:var(--primary);border-color:var(--primary);color:var(--on-primary)}
:focus-visible{outline:2px solid var(--primary);outline-offset:2px}.empty{padding:48px 24px;text-align:center;color:var(--muted);background:var(--surface);border:1px solid var(--hairline);border-radius:12px;margin:0}
@media (max-width:760px){main{padding:16px}.both{grid-template-columns:minmax(0,1fr)}.both section{order:-1}nav{max-height:none}header{padding:12px 16px}}`;
