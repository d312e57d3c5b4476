// Draws click counts onto an email with a style sheet.
type ClickedLink = { position: number; human_clicks: number };

/** Colors for few to many clicks; the count is shown too because color alone is not accessible. */
const STEPS = ['#e8622c33', '#e8622c66', '#e8622c99', '#e8622ccc', '#e8622c'];
const UNUSED = '#5b606b66';

export function drawClicks(
  html: string,
  links: readonly ClickedLink[],
  write: (count: number) => string,
): string {
  const peak = Math.max(1, ...links.map((link) => link.human_clicks));
  const rules = links.map(({ position, human_clicks: clicks }) => {
    const anchor = `a[href="#link-${position}"]`;
    const step = Math.ceil((clicks / peak) * STEPS.length) - 1;
    const color = clicks === 0 ? UNUSED : (STEPS[Math.max(0, step)] ?? UNUSED);
    return `${anchor}{outline:3px solid ${color}!important}
${anchor}::after{content:"${write(clicks).replace(/["\\]/g, '')}"}`;
  });
  const style = `<style>a[href^="#link-"]{outline-offset:1px!important;pointer-events:none}
a[href^="#link-"]::after{display:inline-block;margin:0 4px;padding:0 6px;border-radius:9px;
  background:#1b1d22;color:#fff;font:600 12px/18px system-ui,sans-serif;text-decoration:none}
${rules.join('\n')}</style>`;
  return html.includes('</head>') ? html.replace('</head>', `${style}</head>`) : style + html;
}
