// A page on our host that forms show in a frame: it contains a third-party captcha and posts the
// captcha's result and size to the form. The challenge opens inside this frame, because a form that
// is a popup would cover it anywhere else on the page.
import { createHash } from 'node:crypto';
import { escapeHtml } from '#platform/server/http/public-page.ts';
import type { PagePolicy } from '#platform/server/http/page-policy.ts';
import type { CaptchaProvider } from './captcha-provider.ts';

const SCRIPT = `const send=more=>parent.postMessage({sendloom:'captcha',...more},'*');
window.solved=token=>send({token});window.lost=()=>send({token:''});let was='';
setInterval(()=>{let w=0,h=0;for(const f of document.querySelectorAll('iframe')){const s=getComputedStyle(f),r=f.getBoundingClientRect();if(s.visibility==='hidden'||r.top<-999)continue;w=Math.max(w,r.right);h=Math.max(h,r.bottom)}
const size=[Math.ceil(w),Math.ceil(h)];if(was!==String(size)){was=String(size);send({size})}},250)`;

export function renderCaptchaPage(
  { siteKey, frame: { script, boxClass, hosts } }: CaptchaProvider,
  language: string,
): { html: string; policy: PagePolicy } {
  const html = `<!doctype html>
<html lang="${escapeHtml(language)}"><head><meta charset="utf-8"><meta name="robots" content="noindex"><title>Captcha</title><style>body{margin:0;min-height:78px}</style><script>${SCRIPT}</script><script src="${escapeHtml(script)}?hl=${escapeHtml(language)}" async defer></script></head>
<body><div class="${boxClass}" data-sitekey="${escapeHtml(siteKey)}" data-callback="solved" data-expired-callback="lost" data-error-callback="lost"></div></body></html>`;
  const hash = createHash('sha256').update(SCRIPT).digest('base64');
  return {
    html,
    policy: {
      scripts: [`'sha256-${hash}'`, ...hosts],
      styles: ["'unsafe-inline'", ...hosts],
      images: ['data:', ...hosts],
      fonts: [...hosts],
      connectTargets: [...hosts],
      frames: [...hosts],
      framing: 'any',
    },
  };
}
