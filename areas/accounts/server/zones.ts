// Which time zones an account may have: names of the zone database. Offsets such as +05:00, which the
// runtime takes too, turn around in PostgreSQL, where they are read the POSIX way.

/** The runtime knows them, PostgreSQL does not; nor does either mean the same by bare letters such as PST. */
const NOT_SHARED = new Set(['us/pacific-new', 'canada/east-saskatchewan']);
const NAME = /^(?:UTC|GMT|(?!SystemV\/)[A-Za-z]+\/[\w+/-]{1,60})$/;

export function isZone(zone: string): boolean {
  if (!NAME.test(zone) || NOT_SHARED.has(zone.toLowerCase())) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
