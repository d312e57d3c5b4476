// Which time zones an account may have: names of the zone database. Offsets such as +05:00, which the
// runtime takes too, turn around in PostgreSQL, where they are read the POSIX way.

export function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
