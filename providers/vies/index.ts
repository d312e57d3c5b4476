// Checks VAT numbers in the EU's register: https://ec.europa.eu/taxation_customs/vies/ (REST).
// During an outage the call throws, so that no new number is accepted.
import type { VatCheck } from '#areas/billing/server/vat-provider.ts';

const BASE_URL = 'https://ec.europa.eu/taxation_customs/vies/rest-api';

/** @param base URL of a test server */
export function vies(base: string | undefined): VatCheck {
  return async ({ number, country }) => {
    // Greek VAT numbers have the prefix EL.
    const prefix = country === 'GR' ? 'EL' : country;
    const numberWithoutPrefix = number.startsWith(prefix) ? number.slice(2) : number;
    const response = await fetch(
      `${base ?? BASE_URL}/ms/${prefix}/vat/${encodeURIComponent(numberWithoutPrefix)}`,
      {
        signal: AbortSignal.timeout(5_000),
        headers: { accept: 'application/json' },
      },
    );
    if (!response.ok) throw new Error(`VIES returned ${response.status}`);
    const responseBody = (await response.json()) as { isValid?: boolean };
    return responseBody.isValid === true;
  };
}
