// The form as a page of its own, and as plain HTML that works without script: the same trees as on sites.
import { createHash } from 'node:crypto';
import { ISO, type Snapshot, type Tree } from '#embed/forms/shared/document.ts';
import { escapeHtml } from '#platform/server/http/public-page.ts';
import type { PagePolicy } from '#platform/server/http/page-policy.ts';

/** Proves the page's work where scripts run. */
export const HOSTED_SCRIPT = '/f/r/hosted.js';

const VOID = new Set(['img', 'input', 'hr']);

export function treeHtml(tree: Tree): string {
  if (typeof tree === 'string') return escapeHtml(tree);
  const [tag, attributes, ...children] = tree;
  const written = Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeHtml(value)}"`)
    .join('');
  if (VOID.has(tag)) return `<${tag}${written}>`;
  return `<${tag}${written}>${children.map(treeHtml).join('')}</${tag}>`;
}

const PAGE =
  'body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px;background:#f7f7f5}main{width:100%}.hosted-note{text-align:center;font:16px/1.5 system-ui}';

export type HostedPage = { html: string; policy: PagePolicy };

/**
 * @param action where the plain form posts to
 * @param said `sent`: the success view; `errors`: what was wrong, by field
 */
export function hostedPage(
  snapshot: Snapshot,
  of: {
    title: string;
    action: string;
    /** Where its script finds work to prove; none where nothing is to be proven. */
    challenge?: string | undefined;
    /** The frame of somebody else's captcha, in its place. */
    captcha?: string | undefined;
    said?:
      | { sent: true; prize?: { label: string; code: string } | undefined }
      | { errors: Record<string, string> }
      | undefined;
  },
): HostedPage {
  const style = `${PAGE}${snapshot.css}`;
  const { said } = of;
  const body =
    said && 'sent' in said
      ? `<div class="sender-form-box"><div class="sender-form">${successHtml(snapshot, said.prize)}</div></div>`
      : formHtml(snapshot, of, said && 'errors' in said ? said.errors : {});
  const html = `<!doctype html>
<html lang="${ISO[snapshot.language]}" dir="${snapshot.direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(of.title)}</title><style>${style}</style></head><body><main>${body}</main>${of.challenge || of.captcha ? `<script type="module" src="${HOSTED_SCRIPT}"></script>` : ''}</body></html>`;
  return {
    html,
    policy: {
      styles: [`'sha256-${createHash('sha256').update(style).digest('base64')}'`],
      ...(of.challenge || of.captcha ? { scripts: ["'self'"], calls: ["'self'"] } : {}),
      ...(of.captcha ? { frames: ["'self'"] } : {}),
      images: ['https:', 'http:', 'data:'],
      hasForms: true,
      framing: 'anybody',
    },
  };
}

/** The prize stands where the script would write it. */
function successHtml(snapshot: Snapshot, prize?: { label: string; code: string }): string {
  const html = treeHtml(snapshot.success);
  if (!prize) return html;
  const code = '<output data-part="code">';
  return html.replace(code, () => `${code}${escapeHtml(prize.code || prize.label)}`);
}

/** All steps at once: without script nobody can go on to the next. */
function formHtml(
  snapshot: Snapshot,
  of: { action: string; challenge?: string | undefined; captcha?: string | undefined },
  errors: Record<string, string>,
): string {
  const inner = snapshot.steps
    .map(treeHtml)
    .map((html, i, all) =>
      i < all.length - 1
        ? html.replace(/<button class="sender-form-button"[^>]*>.*?<\/button>/, '')
        : html,
    )
    .join('')
    .replaceAll(/<form[^>]*>/g, '<div class="sender-form">')
    .replaceAll('</form>', '</div>');
  const withFaults = Object.entries(errors).reduce(
    (html, [key, words]) =>
      html.replace(
        `data-fault="${escapeHtml(key)}"></p>`,
        () => `data-fault="${escapeHtml(key)}">${escapeHtml(words)}</p>`,
      ),
    inner,
  );
  const { action, challenge, captcha } = of;
  const work = challenge
    ? ` data-challenge="${escapeHtml(challenge)}"`
    : captcha
      ? ` data-captcha="${escapeHtml(captcha)}"`
      : '';
  return `<form method="post" action="${escapeHtml(action)}"${work}>${withFaults}<div class="trap" aria-hidden="true"><input name="website_2" tabindex="-1" autocomplete="off"></div><input type="hidden" name="__version" value="${snapshot.version}"><input type="hidden" name="__proof" value=""></form>`;
}
