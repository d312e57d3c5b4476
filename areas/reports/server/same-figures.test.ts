// Every view of one campaign shows the same numbers, which count people and not machines: overview,
// list, groups, domains, links, spreadsheet, PDF, public page and public API. The dashboard's
// headline (also shown in the settings) and chart, billing, and a filter of the list of subscribers
// show the same number of reachable subscribers.
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { computeEngagement, computePartRates, divideOrZero } from '#areas/tracking/shared.ts';
import { decodeId } from '#platform/ids.ts';
import { readPdfLines } from '#testing/setup/pdf-text.ts';
import { publicClient } from '#testing/setup/public-client.ts';
import {
  type ReportedCampaignFixture,
  sendReportedCampaign,
} from '#testing/worlds/reported-campaign.ts';
import type { Overview } from '../contract.ts';
import { FIGURES } from '../shared.ts';

let reported: ReportedCampaignFixture;
let figures: Overview['figures'];

const report = async (path: string) =>
  (await reported.owner.get(`/client-api/api/campaigns/${reported.campaign}/report/${path}`)).body;

const percent = (ratio: number) => {
  const digits = ratio > 0 && ratio < 0.001 ? 2 : 1;
  return ratio.toLocaleString('en', { style: 'percent', maximumFractionDigits: digits });
};

beforeAll(async () => {
  reported = await sendReportedCampaign();
  const { accountId, server, groups, ids } = reported;
  // One group has all recipients, so that its row shows the numbers of the whole campaign.
  const everyone = groups[1] as number;
  await sql`delete from campaign_groups where account_id = ${accountId}
    and group_id <> ${everyone}`.execute(server.db);
  await sql`insert into group_members (account_id, group_id, subscriber_id, created_at)
    select ${accountId}::bigint, ${everyone}::bigint, s, now() from unnest(${ids}::bigint[]) s
    on conflict do nothing`.execute(server.db);
  figures = (await report('overview')).data.figures;
}, 120_000);

/** Returns each metric as the overview shows it. */
const readFigures = () =>
  FIGURES.map((name) => {
    const figure = figures[name];
    return 'human_count' in figure
      ? { name, count: figure.human_count, share: figure.human_share }
      : { name, count: figure.count, share: figure.share };
  });
const shownOf = (name: string) => {
  const { count, share } = readFigures().find((figure) => figure.name === name) ?? {};
  return { count, share };
};

describe('on screens', () => {
  test('the fixture contains automated opens and clicks', () => {
    expect(figures.opens.human_count).toBeLessThan(figures.opens.count);
    expect(figures.clicks.human_count).toBeLessThan(figures.clicks.count);
  });

  test('the list of campaigns and the dashboard show the same numbers as the overview', async () => {
    for (const query of ['', '?status=SENT&limit=5&order=sent&direction=desc&as_list=true']) {
      const { data } = (await reported.owner.get(`/client-api/api/campaigns${query}`)).body;
      const listedFigures = data.find(
        (row: { id: string }) => row.id === reported.campaign,
      ).figures;
      expect(computeEngagement(listedFigures)).toEqual({
        opens: shownOf('opens'),
        clicks: shownOf('clicks'),
      });
      expect({
        count: listedFigures.delivered,
        share: divideOrZero(listedFigures.delivered, listedFigures.sent),
      }).toEqual(shownOf('delivered'));
    }
  });

  test('the dashboard’s rates for a period match the only campaign in it', async () => {
    const { data: overview } = await report('overview');
    const day = (ms: number) =>
      new Date(Date.parse(overview.campaign.sent_at) + ms).toISOString().slice(0, 10);
    const DAY_MS = 86_400_000;
    const readEngagement = async (from: string, to: string) =>
      (
        await reported.owner.get(
          `/client-api/api/accounts/dashboard_engagement?from=${from}&to=${to}`,
        )
      ).body.data;
    const period = await readEngagement(day(-DAY_MS), day(DAY_MS));
    expect(period.campaigns).toBe(1);
    expect(computeEngagement(period)).toEqual({
      opens: shownOf('opens'),
      clicks: shownOf('clicks'),
    });
    const before = await readEngagement(day(-9 * DAY_MS), day(-2 * DAY_MS));
    expect(before).toMatchObject({ campaigns: 0, delivered: 0, human_opens: 0, human_clicks: 0 });
  });

  test('a dashboard group of all recipients shows the same numbers as the overview', async () => {
    const { data: overview } = await report('overview');
    const day = (ms: number) =>
      new Date(Date.parse(overview.campaign.sent_at) + ms).toISOString().slice(0, 10);
    const DAY_MS = 86_400_000;
    const range = `from=${day(-DAY_MS)}&to=${day(DAY_MS)}`;
    const readGroups = async () =>
      (await reported.owner.get(`/client-api/api/accounts/dashboard_groups?${range}`)).body.data;
    expect((await readGroups()).is_counting).toBe(true);
    await reported.server.runJobs();
    const { is_counting: isCounting, groups } = await readGroups();
    expect(isCounting).toBe(false);
    const [group] = groups;
    expect(computeEngagement(group)).toEqual({
      opens: shownOf('opens'),
      clicks: shownOf('clicks'),
    });
    expect(group.delivered).toBe(figures.delivered.count);
    expect(group.joined).toBe(reported.ids.length);
    const earlierRange = `from=${day(-9 * DAY_MS)}&to=${day(-2 * DAY_MS)}`;
    const before = await reported.owner.get(
      `/client-api/api/accounts/dashboard_groups?${earlierRange}`,
    );
    expect(before.body.data.groups[0]).toMatchObject({ delivered: 0, human_opens: 0 });
  });

  test('a group of all recipients and all mailbox domains together show the same numbers as the overview', async () => {
    const bounced = {
      count: figures.hard_bounces.count + figures.soft_bounces.count,
      share: divideOrZero(
        figures.hard_bounces.count + figures.soft_bounces.count,
        figures.sent.count,
      ),
    };
    const expected = {
      opens: shownOf('opens'),
      clicks: shownOf('clicks'),
      unsubscribes: shownOf('unsubscribes'),
      complaints: shownOf('complaints'),
    };
    const [group, ...others] = (await report('groups')).data;
    expect(others).toEqual([]);
    const { bounces, ...rates } = computePartRates(group);
    expect(rates).toEqual(expected);
    // The subscriber with a hard and a soft bounce counts once in the group.
    expect(bounces.count).toBe(bounced.count - 1);
    expect(group.sent).toBe(figures.sent.count);
    expect(group.delivered).toBe(figures.delivered.count);
    const domains = (await report('domains')).data as Record<string, number>[];
    const sumColumn = (name: string) => domains.reduce((total, row) => total + (row[name] ?? 0), 0);
    for (const name of ['sent', 'delivered', 'human_opens', 'human_clicks', 'bounces']) {
      expect([name, sumColumn(name)]).toEqual([name, group[name]]);
    }
  });

  test('links show every click by people, and each person at most once per link', async () => {
    const links = (await report('clicks?limit=100')).data as Record<string, number>[];
    const uniqueClicks = links.map((link) => link.unique_human_clicks ?? 0);
    expect(uniqueClicks).toEqual([...uniqueClicks].sort((a, b) => b - a));
    expect(links.reduce((total, link) => total + (link.human_clicks ?? 0), 0)).toBe(
      figures.clicks.human_total,
    );
    expect(Math.max(...uniqueClicks)).toBeLessThanOrEqual(figures.clicks.human_count);
    expect(uniqueClicks.reduce((a, b) => a + b)).toBeGreaterThanOrEqual(figures.clicks.human_count);
  });
});

describe('subscribers', () => {
  const get = async (path: string) =>
    (await reported.owner.get(`/client-api/api/${path}`)).body.data as Record<string, number>;

  test('the headline, the chart, billing and a filter of subscribers show the same reachable subscribers', async () => {
    const reach = await get('accounts/dashboard_reachable');
    const growth = await get('accounts/dashboard_subscribers');
    expect(reach.lost).toBeGreaterThan(0);
    expect(growth.total).toBe(reach.reachable);
    expect((growth.days as unknown as { total: number }[]).at(-1)?.total).toBe(reach.reachable);
    const { bounced = 0, complained = 0, unsubscribed = 0 } = growth;
    expect({ bounced, complained, unsubscribed, lost: growth.lost }).toEqual({
      bounced: reach.bounced,
      complained: reach.complained,
      unsubscribed: reach.unsubscribed,
      lost: bounced + complained + unsubscribed,
    });
    const { usage } = (await reported.owner.get('/client-api/api/billing')).body.data;
    expect(usage.subscribers.used).toBe(reach.reachable);
    const filter = 'email_status,is,active,1,and,and,';
    const { meta } = (await reported.owner.get(`/client-api/api/subscribers?filter=${filter}`))
      .body;
    expect([meta.total, reach.sms]).toEqual([reach.email, 0]);
  });
});

describe('in files and public views', () => {
  const nameOf: Record<string, string> = {
    sent: 'Total emails sent',
    delivered: 'Total emails delivered',
    opens: 'Opened',
    clicks: 'Unique clicks',
    hard_bounces: 'Hard bounced',
    soft_bounces: 'Soft bounced',
    unsubscribes: 'Unsubscribed',
    complaints: 'Spam complaints',
  };
  const BASES =
    'Opened, clicked, unsubscribed and complaints: people, once each, of delivered emails.';

  test('a spreadsheet shows the same numbers as the overview', async () => {
    const { text } = await reported.owner.get(
      `/client-api/api/campaigns/${reported.campaign}/report/export?format=csv`,
    );
    const lines = text.split('\r\n');
    for (const { name, count, share } of readFigures()) {
      expect(lines).toContain(`${nameOf[name]},${count},${Number(share.toFixed(6))},`);
    }
    expect(lines).toContain(`"${BASES}"`);
  });

  test('a PDF shows the same numbers as the overview', async () => {
    const { bytes } = await reported.owner.get(
      `/client-api/api/campaigns/${reported.campaign}/report/export?format=pdf`,
    );
    const lines = readPdfLines(bytes);
    for (const { name, count, share } of readFigures()) {
      expect(lines).toContainEqual([nameOf[name], String(count), percent(share), '–']);
    }
    expect(lines).toContainEqual([BASES]);
  });

  test('a public page shows the same numbers as the overview', async () => {
    const link = (
      await reported.owner.post(`/client-api/api/campaigns/${reported.campaign}/report/link`, {
        days: 7,
      })
    ).body.data.url;
    const page = (await reported.server.client().get(new URL(link).pathname)).text;
    for (const { name, count, share } of readFigures()) {
      expect(page).toContain(
        `<dt>${nameOf[name]}</dt><dd class="share">${percent(share)}</dd><dd class="muted">${count}</dd>`,
      );
    }
    expect(page).toContain(BASES);
  });

  test('the public API shows the same numbers as the overview', async () => {
    const client = await publicClient(reported.server, reported.owner as never);
    const { data } = (await client.get(`/campaigns/${reported.campaign}`)).body;
    expect(decodeId('campaign', data.id)).toBe(decodeId('campaign', reported.campaign));
    expect(data).toMatchObject({
      sent_count: figures.sent.count,
      opens: figures.opens.human_count,
      clicks: figures.clicks.human_count,
      bounces_count: figures.hard_bounces.count + figures.soft_bounces.count,
    });
  });
});
