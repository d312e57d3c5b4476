// Renders the Helm chart with its default values and with all options: `node
// scripts/render-chart.ts`, with Helm 3 in PATH or named by HELM. The tests validate the rendered
// manifests without needing Helm.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHART_RENDERINGS, renderChart, renderNote } from './chart.ts';

const ROOT = join(import.meta.dirname, '..');

for (const rendering of CHART_RENDERINGS) {
  const manifests = await renderChart(rendering);
  if (manifests === undefined) throw new Error('Helm is missing: set HELM to its path.');
  writeFileSync(join(ROOT, rendering.file), `${renderNote()}${manifests}`);
}
