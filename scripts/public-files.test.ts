// Files for a public forge: the workflow runs the checks, and the issue forms are valid.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '..');
const readText = (file: string) => readFileSync(join(ROOT, file), 'utf8');

type CiWorkflow = {
  permissions: Record<string, string>;
  jobs: Record<string, { 'timeout-minutes': number; steps: { uses?: string; run?: string }[] }>;
};

test('the GitHub workflow runs .ci/run with read-only permissions', () => {
  const { jobs, permissions } = parse(readText('.github/workflows/ci.yml')) as CiWorkflow;
  expect(permissions).toEqual({ contents: 'read' });
  for (const { steps, 'timeout-minutes': minutes } of Object.values(jobs)) {
    expect(steps.at(-1)?.run).toBe('.ci/run');
    expect(minutes).toBeGreaterThanOrEqual(30);
    for (const { uses } of steps) if (uses) expect(uses).toMatch(/@(v\d+|[0-9a-f]{40})$/);
  }
  expect(statSync(join(ROOT, '.ci/run')).mode & 0o111).not.toBe(0);
});

type IssueFormField = {
  type: string;
  id?: string;
  attributes?: { label?: string; options?: string[] };
};

test('issue forms have the fields that a forge requires', () => {
  for (const file of ['bug', 'feature']) {
    const form = parse(readText(`.github/ISSUE_TEMPLATE/${file}.yml`)) as {
      name: string;
      description: string;
      body: IssueFormField[];
    };
    expect(form.name && form.description).toBeTruthy();
    const fields = form.body.filter(({ type }) => type !== 'markdown');
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
    for (const { type, attributes } of fields) {
      expect(['input', 'textarea', 'dropdown', 'checkboxes']).toContain(type);
      expect(attributes?.label, file).toBeTruthy();
      if (type === 'dropdown') expect(attributes?.options?.length).toBeGreaterThan(1);
    }
  }
});

test('package updates wait a week, except for vulnerable packages', () => {
  const config = JSON.parse(readText('.github/renovate.json'));
  expect(config.minimumReleaseAge).toBe('7 days');
  expect(config.vulnerabilityAlerts.minimumReleaseAge).toBeNull();
});
