// SMS recipients of e2e tests: subscribers who consented to SMS, in a country where SMS are allowed
// at this hour.
import pg from 'pg';

type PhoneRegion = { country: string; zone: string; number: (n: number) => string };

const PHONE_REGIONS: [PhoneRegion, ...PhoneRegion[]] = [
  { country: 'IN', zone: 'Asia/Kolkata', number: (n) => `+91981234${5000 + n}` },
  { country: 'LT', zone: 'Europe/Vilnius', number: (n) => `+370612${34000 + n}` },
  // Brazil precedes the USA because the first country in daytime is used, and the USA does not
  // support sender names.
  { country: 'BR', zone: 'America/Sao_Paulo', number: (n) => `+55119${60000000 + n}` },
  { country: 'NZ', zone: 'Pacific/Auckland', number: (n) => `+6421234${5000 + n}` },
  { country: 'US', zone: 'America/Los_Angeles', number: (n) => `+1213555${2000 + n}` },
];

/** Returns numbers of a country where it is daytime, because SMS are not sent in quiet hours. */
export function daytimeNumbers(count: number): { country: string; numbers: string[] } {
  const hourIn = (timeZone: string) =>
    Number(
      new Intl.DateTimeFormat('en-US', { timeZone, hour: '2-digit', hourCycle: 'h23' }).format(),
    );
  const region =
    PHONE_REGIONS.find(({ zone }) => hourIn(zone) >= 8 && hourIn(zone) < 20) ?? PHONE_REGIONS[0];
  return {
    country: region.country,
    numbers: Array.from({ length: count }, (_, n) => region.number(n)),
  };
}

/** Adds subscribers who consented to SMS, as an import does. */
export async function addSmsPeople(
  { databaseUrl }: { databaseUrl: string },
  email: string,
  numbers: readonly string[],
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `insert into subscribers (account_id, email, email_key, phone, phone_key, firstname, email_status,
         sms_status, tsms_status, created_at, modified_at)
       select m.account_id, 'p' || n || '@people.example', 'p' || n || '@people.example', p, p,
         'Name ' || n, 'active', 'active', 'active', now(), now()
       from memberships m join users u on u.id = m.user_id, unnest($2::text[]) with ordinality t(p, n)
       where u.email = $1`,
      [email, numbers],
    );
  } finally {
    await client.end();
  }
}
