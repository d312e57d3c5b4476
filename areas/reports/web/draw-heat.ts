// Draws the percentage of people who clicked each link onto an email, with a style sheet only.
import type { Heatmap } from '../contract.ts';

/**
 * Colors from the fewest to the most people who clicked. The percentage is also shown as text
 * because color alone is not enough.
 */
const STEPS = ['#e8622c33', '#e8622c66', '#e8622c99', '#e8622ccc', '#e8622c'];
const UNUSED = '#5b606b66';

/**
 * @param formatShare formats the number of people who clicked as a percentage of the delivered
 * emails. Clicks by machines are not drawn
 */
export function drawHeat(
  html: string,
  links: Heatmap['links'],
  formatShare: (count: number) => string,
): string {
  const peak = Math.max(1, ...links.map((link) => link.unique_human_clicks));
  const rules = links.flatMap((link) =>
    link.positions.map((position) => {
      const anchor = `a[href="#link-${position}"]`;
      const step = Math.ceil((link.unique_human_clicks / peak) * STEPS.length) - 1;
      const color = link.unique_human_clicks === 0 ? UNUSED : (STEPS[Math.max(0, step)] ?? UNUSED);
      return `${anchor}{outline:3px solid ${color}!important}
${anchor}::after{content:"${formatShare(link.unique_human_clicks).replace(/["\\]/g, '')}"}`;
    }),
  );
  const style = `<base target="_blank"><style>
a[href^="#link-"]{outline-offset:1px!important;pointer-events:none}
a[href^="#link-"]::after{display:inline-block;margin:0 4px;padding:0 6px;border-radius:9px;
  background:#1b1d22;color:#fff;font:600 12px/18px system-ui,sans-serif;text-decoration:none;
  vertical-align:middle;white-space:nowrap;letter-spacing:0;text-transform:none}
${rules.join('\n')}
</style>`;
  const end = html.search(/<\/head>/i);
  return end === -1 ? html + style : html.slice(0, end) + style + html.slice(end);
}
