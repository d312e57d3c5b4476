// Renders the Helm chart if Helm is installed. The rendered manifests are committed with a digest
// of their inputs, so that outdated manifests are detected without Helm.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = 'deploy/helm';
const CHART = `${FOLDER}/sendloom`;
export const CHART_FILE = `${CHART}/Chart.yaml`;

export interface ChartRendering {
  /** The rendered manifests. */
  file: string;
  values: string[];
}

export const CHART_RENDERINGS: readonly [defaults: ChartRendering, all: ChartRendering] = [
  { file: 'docs/operations/kubernetes/sendloom.yaml', values: [] },
  {
    file: 'testing/kubernetes-all-options.yaml',
    values: ['--values', `${FOLDER}/all-options.yaml`],
  },
];

/** Returns a digest of all files that the manifests are rendered from. */
function chartDigest(root: string): string {
  const digest = createHash('sha256');
  for (const file of globSync(`${FOLDER}/**/*.{yaml,tpl}`, { cwd: root }).sort()) {
    digest.update(`${file}\n`).update(readFileSync(join(root, file)));
  }
  return digest.digest('hex');
}

/** Returns the comment above rendered manifests. */
export const renderNote = (root = ROOT): string =>
  `# Rendered from ${FOLDER} by \`node scripts/render-chart.ts\`.\n# Inputs: ${chartDigest(root)}\n`;

/** Sets the version in the chart and in its rendered manifests. Returns the changed files. */
export function setChartVersion(root: string, previousVersion: string, version: string): string[] {
  const change = (file: string, edit: (text: string) => string) => {
    const path = join(root, file);
    writeFileSync(path, edit(readFileSync(path, 'utf8')));
    return file;
  };
  const lines = /^.*(?:ersion: |\/version: |\/chart: |image: ).*$/gm;
  const setVersionIn = (text: string) =>
    text.replace(lines, (line) => line.replace(previousVersion, version));
  const chart = change(CHART_FILE, setVersionIn);
  const changes = CHART_RENDERINGS.map(({ file }) =>
    change(file, (text) => setVersionIn(text).replace(/^(?:#.*\n)*/, renderNote(root))),
  );
  return [chart, ...changes];
}

/** Returns undefined if Helm is not installed. */
export async function renderChart({ values }: ChartRendering): Promise<string | undefined> {
  const args = [
    'template',
    'sendloom',
    CHART,
    '--namespace',
    'sendloom',
    '--kube-version',
    '1.36.0',
    ...values,
  ];
  try {
    return (await promisify(execFile)(process.env.HELM ?? 'helm', args, { cwd: ROOT })).stdout;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
