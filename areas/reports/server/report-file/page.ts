// The page of a public link to a report, with metrics, a chart and tables. It has no script and no
// external resources. It supports light and dark colors, both writing directions, and printing.
import { createHash } from 'node:crypto';
import { DIRECTION, LOCALE } from '#platform/languages.ts';
import { escapeHtml } from '#platform/server/http/public-page.ts';
import type { PagePolicy } from '#platform/server/http/page-policy.ts';
import type { ReportCell, DayBar, ReportTables, ReportSection } from './sections.ts';
import { isNumber, createCellFormatter } from './cell-formats.ts';

/** Repeats the theme of platform/web, because the page loads no stylesheet. */
const STYLE = `
:root { color-scheme: light dark; --canvas: #f7f7f5; --surface: #fff; --text: #1b1d22; --muted: #5b606b;
  --hairline: #e4e4e0; --opens: #3b4fe4; --clicks: #0f8a5f; }
@media (prefers-color-scheme: dark) { :root { --canvas: #131416; --surface: #1a1b1e; --text: #ecedef;
  --muted: #9ba1ac; --hairline: #2c2f35; --opens: #8c9aff; --clicks: #46c795; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 32px 24px; background: var(--canvas); color: var(--text); overflow-wrap: anywhere;
  font: 15px/1.5 Inter, 'Segoe UI', Vazirmatn, Tahoma, system-ui, sans-serif; }
main { max-width: 880px; margin: 0 auto; }
h1 { margin: 0 0 4px; font-size: 26px; line-height: 1.25; font-weight: 600; }
h2 { margin: 0 0 12px; font-size: 16px; font-weight: 600; }
p { margin: 0; } .muted { color: var(--muted); font-size: 14px; }
section { margin-top: 20px; padding: 20px; background: var(--surface); border: 1px solid var(--hairline);
  border-radius: 8px; }
.figures { display: grid; grid-template-columns: repeat(4, 1fr); gap: 12px; margin: 24px 0 0; padding: 0; }
.figures div { padding: 16px; background: var(--surface); border: 1px solid var(--hairline); border-radius: 8px; }
dt { color: var(--muted); font-size: 14px; } dd { margin: 4px 0 0; }
.share { font-size: 24px; line-height: 1.2; font-weight: 600; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th { color: var(--muted); font-size: 13px; font-weight: 500; }
th, td { padding: 8px 0 8px 16px; border-bottom: 1px solid var(--hairline); text-align: start; vertical-align: top; }
[dir=rtl] th, [dir=rtl] td { padding: 8px 16px 8px 0; }
th:first-child, td:first-child { min-width: 140px; padding-inline: 0; } tr:last-child td { border-bottom: 0; }
.number { text-align: end; white-space: nowrap; }
svg { display: block; width: 100%; height: 140px; } [dir=rtl] svg { transform: scaleX(-1); }
.o { fill: var(--opens); } .c { fill: var(--clicks); }
.legend { display: flex; gap: 20px; margin-bottom: 8px; font-size: 14px; color: var(--muted); }
.legend span::before { content: ''; display: inline-block; width: 10px; height: 10px; border-radius: 2px;
  margin-inline-end: 6px; background: var(--opens); } .legend .second::before { background: var(--clicks); }
footer { margin-top: 20px; }
@media (max-width: 640px) { body { padding: 20px 12px; } .figures { grid-template-columns: 1fr 1fr; }
  section { padding: 16px; } }
@media print { body { background: none; padding: 0; } section { break-inside: avoid; } }
`;

export const REPORT_POLICY: PagePolicy = {
  styles: [`'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`],
  framing: 'none',
};

export function renderReportPage(report: ReportTables): string {
  const { language, account, title, subject, sentAt, creationNote } = report;
  const format = createCellFormatter(language);
  const [figures, ...otherSections] = report.sections;
  return `<!doctype html>
<html lang="${LOCALE[language]}" dir="${DIRECTION[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="muted"><bdi>${escapeHtml(account)}</bdi></p>
<h1><bdi>${escapeHtml(title)}</bdi></h1>
<p><bdi>${escapeHtml(subject)}</bdi></p>
<p class="muted">${escapeHtml(sentAt)}</p>
${figures ? figuresHtml(figures, format) : ''}
${chartHtml(report)}
${otherSections.map((section) => sectionHtml(section, format)).join('\n')}
<footer class="muted">${escapeHtml(creationNote)}</footer>
</main>
</body>
</html>
`;
}

type CellFormatter = (cell: ReportCell) => string;

/** Renders each metric: its rate above its count, and the average rate. */
function figuresHtml({ rows, columns, notes }: ReportSection, formatCell: CellFormatter): string {
  const cards = rows.map(([name, count, ratio, average]) => {
    if (!name || !count || !ratio || !average) return '';
    const averageItem =
      average.kind === 'share' && average.value !== null
        ? `<dd class="muted">${escapeHtml(`${columns[3]}: ${formatCell(average)}`)}</dd>`
        : '';
    return (
      `<div><dt>${escapeHtml(formatCell(name))}</dt><dd class="share">${escapeHtml(formatCell(ratio))}</dd>` +
      `<dd class="muted">${escapeHtml(formatCell(count))}</dd>${averageItem}</div>`
    );
  });
  return `<dl class="figures">${cards.join('\n')}</dl>\n${notesHtml(notes)}`;
}

const notesHtml = (notes: readonly string[]) =>
  notes.map((note) => `<p class="muted">${escapeHtml(note)}</p>`).join('\n');

const CHART_HEIGHT = 140;
const CHART_WIDTH = 800;

function chartHtml({ days, legend }: ReportTables): string {
  const peak = Math.max(0, ...days.flatMap(({ opens, clicks }) => [opens, clicks]));
  if (peak === 0) return '';
  const step = CHART_WIDTH / days.length;
  const barWidth = Math.min(24, step * 0.4);
  const bar = (name: string, value: number, x: number) => {
    const height = (value / peak) * CHART_HEIGHT;
    return `<rect class="${name}" x="${x.toFixed(1)}" y="${(CHART_HEIGHT - height).toFixed(1)}" width="${(barWidth * 0.9).toFixed(1)}" height="${height.toFixed(1)}"/>`;
  };
  const bars = days.map(({ opens, clicks }: DayBar, i) => {
    const middle = (i + 0.5) * step;
    return bar('o', opens, middle - barWidth) + bar('c', clicks, middle);
  });
  // The chart is hidden from screen readers, because the table of days has the same data.
  return (
    `<section><p class="legend"><span>${escapeHtml(legend.opens)}</span> ` +
    `<span class="second">${escapeHtml(legend.clicks)}</span></p>` +
    `<svg viewBox="0 0 ${CHART_WIDTH} ${CHART_HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${bars.join('')}</svg></section>`
  );
}

function sectionHtml(
  { title, columns, rows, notes }: ReportSection,
  formatCell: CellFormatter,
): string {
  const kinds = rows[0] ?? [];
  const head = columns.map(
    (heading, i) =>
      `<th scope="col"${isNumber(kinds[i]) ? ' class="number"' : ''}>${escapeHtml(heading)}</th>`,
  );
  const lines = rows.map((cells) => {
    const tds = cells.map((cell) => {
      const content = escapeHtml(formatCell(cell));
      if (isNumber(cell)) return `<td class="number">${content}</td>`;
      return `<td><bdi${cell.kind === 'code' ? ' dir="ltr"' : ''}>${content}</bdi></td>`;
    });
    return `<tr>${tds.join('')}</tr>`;
  });
  return (
    `<section><h2>${escapeHtml(title)}</h2><div class="scroll" role="region" tabindex="0" aria-label="${escapeHtml(title)}"><table><thead><tr>${head.join('')}</tr></thead>` +
    `<tbody>${lines.join('\n')}</tbody></table></div>${notesHtml(notes)}</section>`
  );
}
