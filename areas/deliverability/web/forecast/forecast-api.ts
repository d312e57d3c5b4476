// Forecast calls; only email campaigns have forecasts.
import { client } from '#platform/web/api/api.ts';
import type { forecastCalls } from '../../forecast-contract.ts';
import { MAILBOX_TITLES } from '../../shared.ts';

export const LIST_PATH = '/client-api/api/campaigns';
export const api = client<ReturnType<typeof forecastCalls<typeof LIST_PATH>>>();

/** Names of mailbox providers; the same in every language. */
export const PROVIDERS: Readonly<Record<string, string>> = MAILBOX_TITLES;
