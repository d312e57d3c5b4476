// Endpoints for address autocompletion. No transaction is open during a request to the provider.
import { LOCALE } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import { notFound } from '#platform/server/errors.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { addressCalls } from '../address-contract.ts';
import type { AddressProvider } from './address-provider.ts';

/** A typing user sends a few requests per second, and the service may bill each of them. */
const TYPING = { capacity: 60, perSecond: 4 };

export function addressRoutes(provider: AddressProvider): Route[] {
  return createRoutes('accounts', addressCalls, {
    predictAddress: async ({ db, caller, query }) => {
      await requireToken(db, `address:${caller.userId}`, TYPING);
      const { input, session } = query;
      return provider.predict({ input, session, locale: LOCALE[caller.language] });
    },
    readAddress: async ({ db, caller, query }) => {
      await requireToken(db, `address:${caller.userId}`, TYPING);
      const { place_id: placeId, input = '', session } = query;
      const locale = LOCALE[caller.language];
      const details = await provider.details({ placeId, input, session, locale });
      if (!details) throw notFound();
      return details;
    },
    readTimeZone: async ({ db, caller, query }) => {
      await requireToken(db, `address:${caller.userId}`, TYPING);
      const coordinates = { latitude: query.lat, longitude: query.lng };
      return provider.timeZone(coordinates, clock.now());
    },
  });
}
