// The forecast of a campaign, an exclusion that it suggests, and a suggestion of the autopilot, by
// keyboard. Then both screens are shown in Persian on a phone.
import pg from 'pg';
import { expect, test } from 'vitest';
import {
  createBlock,
  createEmailDocument,
  createSection,
} from '../areas/content/document-factory.ts';
import {
  findAccessibilityViolationsInBothThemes,
  newPage,
  waitUntilQuiet,
} from '#testing/setup/browser.ts';
import {
  call,
  createDraft,
  isTooWide,
  newOwner,
  openSharedProduct,
  pressButton,
  shoot,
  openScreen,
} from '#testing/setup/journeys.ts';
import fas from '../locales/fas/forecast.json' with { type: 'json' };
import fasPilot from '../locales/fas/pilot.json' with { type: 'json' };

const CAMPAIGNS = '/client-api/api/campaigns';
const USERS = '/client-api/api/users';
const { product, browser } = await openSharedProduct();

/**
 * Adds 240 active subscribers and 60 who have been inactive for a year, eight past campaigns and
 * their speed and retries, and a suggestion of the autopilot.
 */
async function addHistory(email: string): Promise<void> {
  const client = new pg.Client({ connectionString: product.databaseUrl });
  await client.connect();
  const { rows } = await client.query(
    `select m.account_id as id from users u join memberships m on m.user_id = u.id
     where u.email = $1`,
    [email],
  );
  const accountId = rows[0]?.id;
  await client.query(
    `with people as (
       insert into subscribers (account_id, email, email_key, mailbox, created_at, modified_at)
       select $1::bigint, e, e, 1 + n % 2, now() - interval '2 years', now()
       from (select n, 'p' || n || '@forecast.example' as e from generate_series(1, 300) n) p
       returning id)
     insert into activity (account_id, subscriber_id, first_open_at, last_open_at)
     select $1, id, now() - interval '9 days', now() - interval '9 days'
     from people order by id limit 240`,
    [accountId],
  );
  await client.query(
    `with sealed as (
       insert into sealed_campaigns
         (account_id, message_id, started_at, sealed_at, earned, waits)
       select $1::bigint, 900000 + n, now() - make_interval(days => 7 * n), now(), '[]',
         '{"1": [4, 8, 20, 9, 5, 2, 1, 0, 0, 0, 0]}'
       from generate_series(1, 8) n returning account_id, message_id)
     insert into send_cells (account_id, message_id, mailbox, band, people, opens, clicks,
       unsubscribes, complaints, bounces, orders)
     select account_id, message_id, mailbox, band, 2000, 800 / (1 + band), 80 / (1 + band * 30), 2,
       mailbox - 1, 2 + band * 20, 0
     from sealed, (values (1, 0), (2, 0), (1, 5), (2, 5)) c(mailbox, band)`,
    [accountId],
  );
  await client.query(
    `insert into sent_times (account_id, quarter, shard, sent)
     select $1, date_bin('15 minutes', now(), '2000-01-01') - make_interval(mins => 15 * n), 0, 300
     from generate_series(100, 105) n`,
    [accountId],
  );
  await client.query(
    `insert into domain_health (account_id, domain, mailbox, state, since, measured_at)
     values ($1, 'tearoom.example', 1, 'act', now(), now())`,
    [accountId],
  );
  await client.query(
    `insert into domains (account_id, domain, email, created_at, modified_at)
     values ($1, 'tearoom.example', 'letters@tearoom.example', now(), now())`,
    [accountId],
  );
  await client.query(
    `insert into pilots (account_id, domain, mailbox) values ($1, 'tearoom.example', 1)`,
    [accountId],
  );
  await client.query(
    `insert into pilot_moves (account_id, domain, mailbox, move, cause, count, of, to_per_hour,
       state, at)
     values ($1, 'tearoom.example', 1, 'slow', 'deferrals', 420, 2000, 1200, 'suggested', now())`,
    [accountId],
  );
  await client.end();
}

test('an exclusion suggested by a forecast and a limit suggested by the autopilot take effect', async () => {
  const { page, pageErrors } = await newPage(browser, { viewport: { width: 1280, height: 900 } });
  const email = 'forecaster@tearoom.example';
  await newOwner(page, product, email);
  await call(page, product, 'PATCH', '/client-api/api/account_questionnaire', {
    ...{ address: '12 Quay Street', city: 'Galway', state: 'Connacht', country: 'IE' },
    ...{ timezone: 'Europe/Dublin', zip_code: 'H91 AX0K' },
  });
  const text = createBlock('text', { html: '<p>The first leaves of spring.</p>' });
  const id = await createDraft(page, product, createEmailDocument([createSection([[text]])]));
  await addHistory(email);
  await call(page, product, 'POST', `${CAMPAIGNS}/${id}/tags/set`, {
    ...{ tags_arr: [], send_to_all: true },
  });

  await page.goto(`${product.address}/campaigns/${id}/confirm`);
  await page.getByRole('heading', { name: 'What to expect' }).waitFor();
  await waitUntilQuiet(page);
  await page
    .getByRole('heading', { name: 'What to expect' })
    .evaluate((element) => element.scrollIntoView());
  expect(await page.getByRole('row', { name: /^Opened/ }).innerText()).toMatch(/\d+ to \d+/);
  expect(await page.getByRole('row', { name: /^Done/ }).innerText()).toMatch(/:\d\d.* to .*:\d\d/);
  await page.getByText(/the last retries may take until/).waitFor();
  await page.getByText('By mailbox provider').click();
  const gmail = page.getByRole('row', { name: /^Gmail/ });
  expect(await gmail.innerText()).toMatch(/:\d\d.* to .*:\d\d/);
  await shoot(page, 'forecast');
  await pressButton(page, 'button', 'Exclude them');
  await page.getByText('Excluded from the recipients').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Exclude them' }).count()).toBe(0);

  await openScreen(page, '/settings/deliverability');
  await page.getByRole('heading', { name: 'Autopilot' }).waitFor();
  await page.getByText('420 of 2,000 emails were deferred').waitFor();
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await shoot(page, 'autopilot');
  await pressButton(page, 'button', 'Apply');
  await page.getByText('Up to 1,200 emails an hour').waitFor();

  const { user } = await call<{ user: { id: string } }>(page, product, 'GET', USERS);
  await call(page, product, 'PATCH', `${USERS}/${user.id}`, { language: 'fas' });
  await page.setViewportSize({ width: 390, height: 844 });
  for (const [path, title, name] of [
    [`/campaigns/${id}/confirm`, fas.title, 'forecast-fas'],
    ['/settings/deliverability', fasPilot.title, 'autopilot-fas'],
  ] as const) {
    await page.goto(product.address + path);
    const heading = page.getByRole('heading', { name: title });
    await heading.waitFor();
    await waitUntilQuiet(page);
    expect(await isTooWide(page)).toBe(false);
    if (name === 'forecast-fas') await page.getByText(fas.providers).click();
    await heading.evaluate((element) => element.scrollIntoView());
    await shoot(page, name);
  }
  expect(pageErrors).toEqual([]);
});
