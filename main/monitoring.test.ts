// The metrics and labels in the Prometheus alerts and the Grafana dashboard exist in the product.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runSenders, sendingFigures } from '#areas/delivery/server/sender/index.ts';
import { loadConfig } from '#platform/server/config.ts';
import { createDatabase, type Db } from '#platform/server/database/database.ts';
import { queueFigures } from '#platform/server/jobs/jobs.ts';
import { metricsText, showFigures } from '#platform/server/metrics.ts';
import { nodeFigures } from '#platform/server/monitoring/status-server.ts';
// The worker's metrics, which no other module loads.
import '#platform/server/jobs/pollers.ts';
import { testDatabase } from '#testing/setup/database.ts';
import { instancePool, relayKinds } from './relays.ts';
import { allRoutes } from './wiring.ts';

const FOLDER = join(import.meta.dirname, '..', 'docs', 'operations', 'monitoring');
const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8');

let db: Db;
let exposed: Set<string>;
let routes = 0;

beforeAll(async () => {
  db = createDatabase(await testDatabase(), 2);
  // The counters of every area are registered when its modules load.
  const config = loadConfig({ SMTP_URL: 'smtp://127.0.0.1:1' });
  routes = allRoutes(config).length;
  const senders = runSenders(db, instancePool(db, config), relayKinds(config));
  const hide = [
    showFigures(async () => sendingFigures(senders.figures())),
    showFigures(() => queueFigures(db)),
    showFigures(() => nodeFigures(db)),
  ];
  const { text } = await metricsText();
  for (const stop of hide) stop();
  await senders.close();
  exposed = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name ?? ''));
});
afterAll(() => db.destroy());

/** Metrics of an expression; the series of a histogram map to its base name. */
const metricsOf = (expression: string) =>
  [...expression.matchAll(/\b(?:sendloom|nodejs|process)_\w+/g)].map(([name]) =>
    name.replace(/_(bucket|count|sum)$/, ''),
  );

type Rules = { groups: { rules: { alert: string; expr: string }[] }[] };
type Board = { panels: { title: string; targets: { expr: string }[] }[] };

test('the alerts use existing metrics', () => {
  const rules = (parse(read('alerts.yml')) as Rules).groups.flatMap((group) => group.rules);
  expect(routes).toBeGreaterThan(100);
  expect(rules.length).toBeGreaterThan(10);
  for (const { alert, expr } of rules) {
    const names = metricsOf(expr);
    expect(expr.includes('up{') || names.length > 0, alert).toBe(true);
    expect(
      names.filter((name) => !exposed.has(name)),
      alert,
    ).toEqual([]);
  }
});

test('the dashboard panels use existing metrics', () => {
  const { panels } = JSON.parse(read('grafana.json')) as Board;
  expect(panels.length).toBeGreaterThan(10);
  for (const { title, targets } of panels) {
    for (const { expr } of targets) {
      expect(
        metricsOf(expr).filter((name) => !exposed.has(name)),
        title,
      ).toEqual([]);
    }
  }
});
