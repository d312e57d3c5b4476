// The inbox's style, in the product's colors, fonts and shapes.
import { TEST_TOOL_LINKS_STYLE } from '#platform/server/http/test-tool-links.ts';
import { dark, light, type Palette } from '#platform/web/theme/tokens.ts';

function colorVariables(palette: Palette): string {
  const { canvas, surface, hover, text, muted, hairline, control, primary, primaryHover } = palette;
  return (
    `--canvas:${canvas};--surface:${surface};--hover:${hover};--text:${text};--muted:${muted};` +
    `--hairline:${hairline};--control:${control};--primary:${primary};` +
    `--primary-hover:${primaryHover};--on-primary:${palette.onPrimary}`
  );
}

export function inboxStyle(): string {
  return `${TEST_TOOL_LINKS_STYLE}
:root{color-scheme:light;${colorVariables(light)}}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;${colorVariables(dark)}}}
:root[data-theme=dark]{color-scheme:dark;${colorVariables(dark)}}
${FONTS}${RULES}`;
}

const FONTS = `
@font-face{font-family:Inter;src:url(/inbox/files/inter.woff2) format("woff2");font-weight:100 900;font-display:swap;unicode-range:U+0000-00FF,U+2000-206F,U+20AC,U+2122}
@font-face{font-family:Inter;src:url(/inbox/files/inter-ext.woff2) format("woff2");font-weight:100 900;font-display:swap;unicode-range:U+0100-02BA,U+1E00-1EFF}
@font-face{font-family:Vazirmatn;src:url(/inbox/files/vazirmatn.woff2) format("woff2");font-weight:100 900;font-display:swap;unicode-range:U+0600-06FF,U+200C-200E,U+FB50-FDFF,U+FE70-FEFC}
`;

const RULES = `
*{box-sizing:border-box}
body{margin:0;min-width:320px;background:var(--canvas);color:var(--text);font:14px/1.5 Inter,system-ui,sans-serif}
:lang(fa) body{font-family:Vazirmatn,Inter,system-ui,sans-serif}
:focus-visible{outline:2px solid var(--primary);outline-offset:2px}
a{color:var(--primary)}
a:hover{color:var(--primary-hover)}
bdi{overflow-wrap:anywhere}
.muted{color:var(--muted)}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:fixed;inset-block-start:-100px;inset-inline-start:8px;padding:8px 16px;border-radius:6px;background:var(--primary);color:var(--on-primary)}
.skip:focus{inset-block-start:8px}
.bar{display:flex;align-items:center;justify-content:space-between;gap:16px;padding:12px 24px;background:var(--surface);border-block-end:1px solid var(--hairline)}
.brand{display:inline-flex;align-items:center;gap:8px;font-weight:600;font-size:16px;color:var(--text);text-decoration:none}
.brand .muted{font-weight:400}
main{max-width:1200px;margin:0 auto;padding:24px}
h1{font-size:20px;line-height:1.3;font-weight:600;margin:0 0 8px}
h2{font-size:16px;font-weight:600;margin:0 0 4px}
h2.small{font-size:14px}
.title,.above,.pager{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:12px}
.title h1{margin:0}
.lead{max-width:70ch;margin:4px 0 20px}
.search{display:flex;gap:8px;flex:0 1 380px}
.search input{flex:1;min-width:0;min-height:36px;padding:6px 12px;font:inherit;color:var(--text);background:var(--surface);border:1px solid var(--control);border-radius:6px}
.search input::placeholder{color:var(--muted);opacity:1}
button,.button{min-height:36px;padding:6px 14px;font:inherit;font-weight:500;border:1px solid var(--hairline);border-radius:8px;background:var(--surface);color:var(--text);text-decoration:none;display:inline-flex;align-items:center;cursor:pointer}
button:hover,.button:hover{background:var(--hover);color:var(--text)}
.buttons{display:flex;gap:8px}
table{width:100%;border-collapse:separate;border-spacing:0;overflow:hidden;font-size:13px;font-variant-numeric:tabular-nums;background:var(--surface);border:1px solid var(--hairline);border-radius:8px;table-layout:fixed}
th{font-weight:500;color:var(--muted);text-align:start}
th,td{padding:10px 12px;border-block-end:1px solid var(--hairline);vertical-align:top}
tbody tr:last-child>*{border-block-end:0}
#list tbody tr{cursor:pointer}
#list tbody tr:hover{background:var(--hover)}
.open{color:var(--text);font-weight:500;text-decoration:none}
.open:hover{text-decoration:underline}
.end{text-align:end;width:190px}
#list th:first-child{width:24%}
#list th.wide{width:22%}
#list td{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.pager{margin-block-start:12px;font-size:13px}
.empty{padding:48px 24px;text-align:center;background:var(--surface);border:1px solid var(--hairline);border-radius:8px}
.above{margin-block-end:16px;min-height:36px}
.facts{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:2px 16px;margin:0 0 16px;font-size:13px}
.facts dt{color:var(--muted)}
.facts dd{margin:0}
.attachments{margin:0 0 16px;padding:0;list-style:none;font-size:13px;display:flex;flex-wrap:wrap;gap:4px 20px}
.tabs{display:flex;gap:4px;border-block-end:1px solid var(--hairline);margin-block-end:16px;overflow-x:auto}
.tabs a{padding:8px 12px;color:var(--muted);text-decoration:none;border-block-end:2px solid transparent;white-space:nowrap}
.tabs a:hover{color:var(--text)}
.tabs a[aria-current]{color:var(--text);font-weight:500;border-color:var(--primary)}
.content{display:block;width:100%;margin:0;border:1px solid var(--hairline);border-radius:8px;background:var(--surface)}
iframe.content{height:max(480px,calc(100vh - 330px));background:#fff;color-scheme:light}
pre.content{padding:16px;white-space:pre-wrap;overflow-wrap:anywhere;font:14px/1.6 Inter,system-ui,sans-serif;overflow:auto}
pre.code{font:12px/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.headers .name{width:220px}
.headers th{overflow-wrap:anywhere}
.headers td{overflow-wrap:anywhere;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12px}
.none{padding:32px 0}
@media (max-width:800px){.wide{display:none}.end{width:110px}}
@media (max-width:560px){#list thead{display:none}#list :is(table,tbody,tr,td){display:block}#list td{border:0;padding:0 12px;width:auto;text-align:start}#list tr{padding:10px 0;border-block-end:1px solid var(--hairline)}#list tbody tr:last-child{border:0}
}
@media (max-width:560px){main{padding:16px}.bar{padding:12px 16px}.headers .name{width:110px}.brand .muted{display:none}button,.button,.search input{min-height:44px}}
@media (prefers-reduced-motion:reduce){*{transition:none!important;animation:none!important}}
`;
