// Builds a report as tables, without personal data, for every format: spreadsheet, PDF and public
// page.
import { readAccount } from '#areas/accounts/server/index.ts';
import { replaceTags } from '#areas/campaigns/server/index.ts';
import { divideOrZero } from '#areas/tracking/shared.ts';
import { isLanguage, type Language, LOCALE } from '#platform/languages.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { type ServerText, serverTexts } from '#platform/server/texts.ts';
import type { Overview, SpreadRow, Times } from '../../contract.ts';
import { FIGURES, type FigureName } from '../../shared.ts';
import { readOverview, readReportedCampaign } from '../overview.ts';
import { listAllLinks, type ReportLinkRow } from '../reports.sql.ts';
import { listDomains, readSpread } from '../parts.ts';
import { readTimes } from '../times.ts';

export type ReportCell =
  | { kind: 'text'; value: string }
  /** A domain, URL or currency, which is written left to right in every language. */
  | { kind: 'code'; value: string }
  /** A day in the account's time zone, as YYYY-MM-DD. */
  | { kind: 'day'; value: string }
  | { kind: 'count'; value: number }
  /** A share from 0 to 1; null if there is none. */
  | { kind: 'share'; value: number | null }
  | { kind: 'money'; value: number; currency: string };

export type ReportSection = {
  title: string;
  columns: string[];
  rows: ReportCell[][];
  /** Units and bases of the metrics, one line each. */
  notes: string[];
};

/** Opens and clicks by people on a day. */
export type DayBar = { day: string; opens: number; clicks: number };

export type ReportTables = {
  language: Language;
  account: string;
  title: string;
  subject: string;
  from: string;
  /** Text with the time of sending in the language and the account's time zone; '' if unsent. */
  sentAt: string;
  sections: ReportSection[];
  days: DayBar[];
  /** Names of the two series of the chart. */
  legend: { opens: string; clicks: string };
  creationNote: string;
};

const MAX_LINKS = 50;
const MAX_DAYS = 366;

const text = (value: string): ReportCell => ({ kind: 'text', value });
const code = (value: string): ReportCell => ({ kind: 'code', value });
const day = (value: string): ReportCell => ({ kind: 'day', value });
const count = (value: number): ReportCell => ({ kind: 'count', value });
const shareCell = (value: number | null): ReportCell => ({ kind: 'share', value });
const partCell = (value: number, total: number): ReportCell =>
  shareCell(divideOrZero(value, total));

/**
 * @param reader language of the user; undefined for a public link, which has the account's language
 * @throws `not_found`, `not_sent_yet`
 */
export async function buildReportTables(
  tx: Tx,
  accountId: number,
  campaignId: number,
  now: Date,
  reader?: Language,
): Promise<ReportTables> {
  const account = await readAccount(tx, accountId);
  const language = reader ?? (isLanguage(account.language) ? account.language : 'eng');
  const t = serverTexts('reports', language);
  const overview = await readOverview(tx, accountId, campaignId, {
    isOwners: reader !== undefined,
  });
  const times = await readTimes(tx, accountId, campaignId);
  const links = await linksOf(tx, accountId, campaignId);
  const time = new Intl.DateTimeFormat(LOCALE[language], {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: overview.zone,
  });
  const { campaign } = overview;
  return {
    language,
    account: account.title,
    title: campaign.title,
    subject: replaceTags(campaign.subject),
    from: campaign.from_name,
    sentAt: campaign.sent_at
      ? t('file.sent', { time: time.format(new Date(campaign.sent_at)), zone: overview.zone })
      : '',
    sections: [
      figuresSection(overview, t, language),
      ...earnedSection(overview, t),
      daysSection(times, t),
      linksSection(links, t),
      await domainsSection(tx, accountId, campaignId, t),
      ...(await spreadSections(tx, accountId, campaignId, language, t)),
    ].filter(({ rows }) => rows.length > 0),
    days: times.days.slice(-MAX_DAYS).map((day) => ({
      day: day.day,
      opens: day.human_opens,
      clicks: day.human_clicks,
    })),
    legend: { opens: t('file.opens'), clicks: t('file.clicks') },
    creationNote: t('file.made', { time: time.format(now) }),
  };
}

async function linksOf(tx: Tx, accountId: number, campaignId: number): Promise<ReportLinkRow[]> {
  const { messageIds } = await readReportedCampaign(tx, accountId, campaignId);
  const all = await listAllLinks(tx, accountId, messageIds);
  return all
    .sort((a, b) => b.unique_human_clicks - a.unique_human_clicks || a.position - b.position)
    .slice(0, MAX_LINKS);
}

/** Builds the metrics of the overview. Opens and clicks are by people only, as on the screen. */
function figuresSection(
  { figures, average }: Overview,
  t: ServerText,
  language: Language,
): ReportSection {
  const readAverage = (name: FigureName) => {
    if (!average || name === 'sent') return null;
    return name === 'opens' || name === 'clicks' ? average[`human_${name}`] : average[name];
  };
  return {
    title: t('file.figures'),
    columns: [t('file.figure'), t('file.count'), t('file.share'), t('file.average')],
    rows: FIGURES.map((name) => {
      const figure = figures[name];
      const isSplit = 'human_count' in figure;
      return [
        text(t(`file.names.${name}`)),
        count(isSplit ? figure.human_count : figure.count),
        shareCell(isSplit ? figure.human_share : figure.share),
        shareCell(readAverage(name)),
      ];
    }),
    notes: [
      t('file.bases.shares'),
      t('file.bases.people'),
      ...(average
        ? [
            t('file.averageOf', {
              count: average.campaigns,
              shown: average.campaigns.toLocaleString(LOCALE[language]),
            }),
          ]
        : []),
    ],
  };
}

function earnedSection({ earned }: Overview, t: ServerText): ReportSection[] {
  if (!earned) return [];
  return [
    {
      title: t('file.earned'),
      columns: [t('file.currency'), t('file.orders'), t('file.revenue')],
      rows: earned.map((revenue) => [
        code(revenue.currency),
        count(revenue.orders),
        { kind: 'money', value: revenue.revenue, currency: revenue.currency },
      ]),
      notes: [],
    },
  ];
}

function daysSection({ days }: Times, t: ServerText): ReportSection {
  return {
    title: t('file.days'),
    columns: [t('file.day'), t('file.opens'), t('file.clicks')],
    rows: days
      .slice(-MAX_DAYS)
      .map((dayFigures) => [
        day(dayFigures.day),
        count(dayFigures.human_opens),
        count(dayFigures.human_clicks),
      ]),
    notes: [t('file.bases.events')],
  };
}

function linksSection(links: readonly ReportLinkRow[], t: ServerText): ReportSection {
  return {
    title: t('file.links'),
    columns: [t('file.link'), t('file.linkText'), t('file.uniqueClicks'), t('file.clicks')],
    rows: links.map((link) => [
      code(link.url),
      text(link.label ?? ''),
      count(link.unique_human_clicks),
      count(link.human_clicks),
    ]),
    notes: [t('file.bases.links')],
  };
}

async function domainsSection(
  tx: Tx,
  accountId: number,
  campaignId: number,
  t: ServerText,
): Promise<ReportSection> {
  const { data } = await listDomains(tx, accountId, campaignId);
  return {
    title: t('file.domains'),
    columns: [
      t('file.domain'),
      t('file.sentCount'),
      t('file.delivered'),
      t('file.opened'),
      t('file.clicked'),
      t('file.bounced'),
    ],
    rows: data.map((row) => [
      row.domain === null ? text(t('file.others')) : code(row.domain),
      count(row.sent),
      partCell(row.delivered, row.sent),
      partCell(row.human_opens, row.delivered),
      partCell(row.human_clicks, row.delivered),
      partCell(row.bounces, row.sent),
    ]),
    notes: [t('file.bases.domains')],
  };
}

async function spreadSections(
  tx: Tx,
  accountId: number,
  campaignId: number,
  language: Language,
  t: ServerText,
): Promise<ReportSection[]> {
  const regions = new Intl.DisplayNames(LOCALE[language], { type: 'region', fallback: 'code' });
  const rowsOf = (rows: SpreadRow[], name: (value: string) => string) => {
    const opens = rows.reduce((total, row) => total + row.human_opens, 0);
    return rows
      .filter((row) => row.human_opens + row.human_clicks > 0)
      .map((row) => [
        text(row.value === '' ? t('file.unknown') : name(row.value)),
        count(row.human_opens),
        partCell(row.human_opens, opens),
        count(row.human_clicks),
      ]);
  };
  const columns = (name: string) => [
    t(name),
    t('file.opens'),
    t('file.shareOfOpens'),
    t('file.clicks'),
  ];
  const notes = [t('file.bases.events')];
  const devices = await readSpread(tx, accountId, campaignId, 'device');
  const countries = await readSpread(tx, accountId, campaignId, 'country');
  return [
    {
      title: t('file.devices'),
      columns: columns('file.device'),
      rows: rowsOf(devices, (value) => t(`file.deviceNames.${value}`)),
      notes,
    },
    {
      title: t('file.countries'),
      columns: columns('file.country'),
      rows: rowsOf(countries, (value) => regions.of(value) ?? value),
      notes,
    },
  ];
}
