// The metrics in the Prometheus alerts and the Grafana dashboard exist in the product; each alert
// has a runbook and a test.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createBacklogFigures } from '#areas/delivery/server/ledger/index.ts';
import { runSenders, collectMetrics } from '#areas/delivery/server/sender/index.ts';
import { loadConfig } from '#platform/server/config.ts';
import { createDatabase, type Db } from '#platform/server/database/database.ts';
import { sampleQueue } from '#platform/server/jobs/jobs.ts';
import { renderMetrics, registerMetrics } from '#platform/server/metrics.ts';
import { sampleBackups } from '#platform/server/monitoring/backup-figures.ts';
// Registers the worker's metrics; no other import of this test loads them.
import '#platform/server/jobs/pollers.ts';
import { createTestDatabase } from '#testing/setup/database.ts';
import { instancePool, relayKinds } from './relays.ts';
import { ROLES } from './role.ts';
import { startStatus } from './status.ts';
import { certificateFigures } from './submission.ts';
import { allRoutes } from './wiring.ts';

const FOLDER = join(import.meta.dirname, '..', 'docs', 'operations', 'monitoring');
const readFile = (file: string) => readFileSync(join(FOLDER, file), 'utf8');

let db: Db;
let exposedMetrics: Set<string>;
let routes = 0;

beforeAll(async () => {
  db = createDatabase(await createTestDatabase(), 2);
  // The counters of every area are registered when its modules load.
  const config = loadConfig({ SMTP_URL: 'smtp://127.0.0.1:1' });
  routes = allRoutes(config).length;
  const senders = runSenders(db, instancePool(db, config), relayKinds(config));
  const stops = [
    registerMetrics(async () => collectMetrics(senders.getStatistics())),
    registerMetrics(() => sampleQueue(db)),
    registerMetrics(() => createBacklogFigures(db)),
    registerMetrics(() => sampleBackups(db)),
    registerMetrics(certificateFigures(config)),
  ];
  const status = await startStatus(config, db, 'web');
  const { text } = await renderMetrics();
  for (const stop of stops) stop();
  await status.close();
  await senders.close();
  exposedMetrics = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name ?? ''));
});
afterAll(() => db.destroy());

/** Metrics of an expression; the series of a histogram map to its base name. */
const metricsOf = (expression: string) =>
  [...expression.matchAll(/\b(?:sendloom|nodejs|process)_\w+/g)].map(([name]) =>
    name.replace(/_(bucket|count|sum)$/, ''),
  );

type AlertRule = {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: Record<'summary' | 'description' | 'runbook_url', string>;
};
type Rules = { groups: { rules: AlertRule[] }[] };
type Scrapes = {
  rule_files: string[];
  scrape_configs: {
    job_name: string;
    kubernetes_sd_configs?: unknown[];
    relabel_configs?: { source_labels: string[]; regex?: string }[];
  }[];
};
type Board = { panels: { title: string; targets: { expr: string }[] }[] };

const rules = (parse(readFile('alerts.yml')) as Rules).groups.flatMap((group) => group.rules);

test('each alert has a severity, a description and a section in the runbooks', () => {
  const page = readFileSync(join(FOLDER, '..', 'runbooks.md'), 'utf8');
  const sections = page.split(/^## /m).slice(1);
  const names = sections.map((section) => section.split('\n', 1)[0] ?? '');
  expect(names.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  for (const section of sections) expect(section.length).toBeGreaterThan(150);
  for (const { alert, labels, annotations } of rules) {
    expect(['critical', 'warning'], alert).toContain(labels.severity);
    expect(annotations.summary.length, alert).toBeGreaterThan(10);
    expect(annotations.description.length, alert).toBeGreaterThan(20);
    expect(annotations.runbook_url).toBe(`runbooks.md#${alert.toLowerCase()}`);
  }
  const links = [...page.matchAll(/\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
  expect(
    links.filter((anchor) => !rules.some(({ alert }) => alert.toLowerCase() === anchor)),
  ).toEqual([]);
});

test('one alert covers a missing process of each role; both Prometheus configurations load the alerts', () => {
  const missing = rules.find(({ alert }) => alert === 'SendloomRoleMissing');
  for (const role of ROLES) {
    expect(missing?.expr).toContain(`absent(sendloom_ready{role="${role}"})`);
  }
  for (const file of ['prometheus.yml', 'prometheus-kubernetes.yml']) {
    const { rule_files: files, scrape_configs: scrapes } = parse(readFile(file)) as Scrapes;
    expect(files, file).toEqual(['alerts.yml']);
    expect(
      scrapes.map(({ job_name: name }) => name),
      file,
    ).toEqual(['sendloom']);
  }
  // The regular expressions of Prometheus have no backreferences.
  expect(readFile('prometheus-kubernetes.yml')).not.toMatch(/\\\d/);
});

test('the page about monitoring describes each metric of the product', () => {
  const page = readFileSync(join(FOLDER, '..', 'monitoring.md'), 'utf8');
  const ownMetrics = [...exposedMetrics].filter((name) => name.startsWith('sendloom_'));
  expect(ownMetrics.length).toBeGreaterThan(40);
  expect(ownMetrics.filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
});

type Expectation = { alertname: string; exp_alerts?: unknown[] };

test('every alert has a test in which it fires, with existing metrics', () => {
  const { tests } = parse(readFile('alerts.test.yml')) as {
    tests: { input_series: { series: string }[]; alert_rule_test: Expectation[] }[];
  };
  const firedAlerts = tests.flatMap((test) =>
    test.alert_rule_test.flatMap(({ alertname, exp_alerts: alerts }) => (alerts ? alertname : [])),
  );
  expect([...new Set(firedAlerts)].sort()).toEqual(rules.map(({ alert }) => alert).sort());
  const series = tests.flatMap((test) => test.input_series.map((input) => input.series));
  expect(series.flatMap(metricsOf).filter((name) => !exposedMetrics.has(name))).toEqual([]);
});

test('the alerts use existing metrics', () => {
  expect(routes).toBeGreaterThan(100);
  expect(rules.length).toBeGreaterThan(10);
  for (const { alert, expr } of rules) {
    const names = metricsOf(expr);
    expect(expr.includes('up{') || names.length > 0, alert).toBe(true);
    expect(
      names.filter((name) => !exposedMetrics.has(name)),
      alert,
    ).toEqual([]);
  }
});

test('the dashboard panels use existing metrics', () => {
  const { panels } = JSON.parse(readFile('grafana.json')) as Board;
  expect(panels.length).toBeGreaterThan(10);
  for (const { title, targets } of panels) {
    for (const { expr } of targets) {
      expect(
        metricsOf(expr).filter((name) => !exposedMetrics.has(name)),
        title,
      ).toEqual([]);
    }
  }
});
