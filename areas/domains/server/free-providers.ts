// Domains of free mailbox providers; a business cannot send email from them.
import allProviders from 'email-providers/all.json' with { type: 'json' };

/**
 * Providers missing from the package: newer ones, and providers in countries with a supported
 * language.
 */
const MISSING = `
  online.no broadpark.no start.no getmail.no frisurf.no hotmail.no live.no yahoo.no gmx.no
  hotmail.se live.se passagen.se bredband.net comhem.se swipnet.se glocalnet.net
  one.lv mail.lv yandex.lv inbox.eu
  inbox.lt one.lt takas.lt zebra.lt mail.lt yahoo.lt
  chmail.ir mailfa.com vatanmail.ir chapar.ir iran.ir
  tuta.com tuta.io tutamail.com tutanota.com tutanota.de keemail.me
  duck.com vivaldi.net fastmail.com fastmail.fm
`
  .trim()
  .split(/\s+/);

const PROVIDERS = new Set<string>([...(allProviders as string[]), ...MISSING]);

export const isFreeProvider = (domain: string): boolean => PROVIDERS.has(domain);
