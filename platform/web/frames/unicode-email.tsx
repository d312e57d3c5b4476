// An email address whose domain is stored in Punycode. Apart from the frame, since the rules that
// keep confusable domains as they are take 2.7 kB.
import { toUnicodeDomain } from '#platform/domain-display.ts';

export default function UnicodeEmail({ email }: { email: string }) {
  return toUnicodeDomain(email);
}
