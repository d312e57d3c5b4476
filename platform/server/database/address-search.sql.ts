// SQL that finds text containing subscribers' addresses or phone numbers, in any notation.
import { type RawBuilder, sql } from 'kysely';

/** Email addresses in lower case, and the last digits of phone numbers. */
export type SubscriberAddresses = { emails: readonly string[]; phoneDigits: readonly string[] };

export const mentionsAddress = (
  text: RawBuilder<unknown>,
  { emails, phoneDigits }: SubscriberAddresses,
) => sql<boolean>`
  exists (
    select 1 from lower(${text}) as written (text)
    where exists (select 1 from unnest(${[...emails]}::text[]) as gone (email)
        where position(gone.email in written.text) > 0)
      or exists (select 1 from unnest(${[...phoneDigits]}::text[]) as gone (digits)
        where position(gone.digits in regexp_replace(written.text, '[^0-9]', '', 'g')) > 0))`;
