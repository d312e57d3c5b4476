// Sums of shops: in their currency as the reader's language writes it; a plain number where it is not known.
import { useFormats } from '#platform/web/formats.ts';

/** Whether Intl knows how to write it. */
const isCurrency = (code: string) => /^[A-Z]{3}$/.test(code);

/** `most`: digits after the point where the currency has fewer. */
export function useAmount(): (amount: number, currency: string, most?: number) => string {
  const { money, number } = useFormats();
  return (amount, currency, most) =>
    isCurrency(currency) ? money(amount, currency, most) : number(amount);
}
