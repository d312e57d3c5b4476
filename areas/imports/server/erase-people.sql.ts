// SQL that erases personal data of imports. These rows refer to subscribers only by address.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Removes the addresses of erased subscribers from file names and column titles of imports. */
export const rewriteImportTexts = createTextRewriter('imports', {
  columns: ['file_name', 'detected', 'settings'],
});

/**
 * Blanks the text and column title of row issues that contain one of these email addresses, or the
 * last eight digits of a phone number with any separators. The issue and its reason remain.
 */
export async function blankRowIssueTexts(
  tx: Tx,
  accountId: number,
  addresses: { emails: readonly string[]; digits: readonly string[] },
): Promise<void> {
  const { emails, digits } = addresses;
  await sql`
    update import_rejections set row_text = '', column_title = null
    where account_id = ${accountId} and (row_text <> '' or column_title is not null)
      and (exists (select 1 from unnest(${[...emails]}::text[]) as gone (email)
          where position(gone.email in lower(coalesce(column_title, '') || ' ' || row_text)) > 0)
        or exists (select 1 from unnest(${[...digits]}::text[]) as gone (digits)
          where position(gone.digits in regexp_replace(coalesce(column_title, '') || ' ' || row_text, '[^0-9]', '', 'g')) > 0))`.execute(
    tx,
  );
}

/** Deletes forecasts that show one of these addresses. */
export async function deleteForecastsNaming(
  tx: Tx,
  accountId: number,
  addresses: readonly string[],
): Promise<void> {
  await sql`
    delete from import_forecasts
    where account_id = ${accountId}
      and exists (select 1 from unnest(${[...addresses]}::text[]) as gone (address)
        where position(gone.address in lower(result::text)) > 0)`.execute(tx);
}
