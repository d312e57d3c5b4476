// An email address with a domain stored in Punycode. Loaded separately from the frame, because the
// rules that leave confusable domains in Punycode take 2.7 kB.
import { toUnicodeDomain } from '#platform/domain-display.ts';

export default function UnicodeEmail({ email }: { email: string }) {
  return toUnicodeDomain(email);
}
