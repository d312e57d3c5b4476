// Quickly creates an account with many subscribers, each with a group and a consent record, for
// tests of backups.
import { sql } from 'kysely';
import type { Db } from '#platform/server/database/database.ts';

export async function fillAccount(db: Db, subscriberCount: number): Promise<void> {
  const now = new Date();
  await sql`insert into users (email, email_key, created_at, modified_at)
    values ('owner@tea.example', 'owner@tea.example', ${now}, ${now})`.execute(db);
  await sql`insert into accounts (title, created_at, modified_at)
    values ('Nordic Tea', ${now}, ${now})`.execute(db);
  await sql`insert into subscribers
      (account_id, email, email_key, firstname, lastname, created_at, modified_at)
    select (select id from accounts), e, e, 'Name ' || n, 'Of ' || md5(n::text), ${now}, ${now}
    from (select n, 'person' || n || '@home.example' as e from generate_series(1, ${subscriberCount}::int) n) x
  `.execute(db);
  await sql`insert into groups (account_id, title, title_key, created_at, modified_at)
    select id, 'Everybody', 'everybody', ${now}, ${now} from accounts`.execute(db);
  await sql`insert into group_members (account_id, group_id, subscriber_id, created_at)
    select s.account_id, g.id, s.id, ${now}
    from subscribers s join groups g on g.account_id = s.account_id`.execute(db);
  await sql`insert into consents (account_id, subscriber_id, at, channel, kind, source)
    select account_id, id, ${now}, 'email', 'attested', 'import' from subscribers`.execute(db);
  await sql`analyze`.execute(db);
}
