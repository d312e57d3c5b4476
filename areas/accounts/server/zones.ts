// The time zones that an account can choose, which are names of the zone database. Offsets such as
// +05:00, which the runtime also accepts, are excluded, because PostgreSQL reads them with the
// opposite sign (POSIX).

/**
 * The runtime accepts these zones, but PostgreSQL does not. Abbreviations such as PST are also
 * excluded because their meanings differ.
 */
const UNSUPPORTED = new Set(['us/pacific-new', 'canada/east-saskatchewan']);
const NAME = /^(?:UTC|GMT|(?!SystemV\/)[A-Za-z]+\/[\w+/-]{1,60})$/;

export function isZone(zone: string): boolean {
  if (!NAME.test(zone) || UNSUPPORTED.has(zone.toLowerCase())) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
