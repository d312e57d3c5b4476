// Amounts in their currency, formatted for the reader's language; plain numbers if the currency is
// unknown.
import { useFormats } from './formats.ts';

/** True if Intl accepts the code. It accepts any three capital letters. */
const isCurrency = (code: string) => /^[A-Z]{3}$/.test(code);

/** `maxDigits`: maximum decimals, if larger than the currency's. */
export function useAmount(): (amount: number, currency: string, maxDigits?: number) => string {
  const { money, number } = useFormats();
  return (amount, currency, maxDigits) =>
    isCurrency(currency) ? money(amount, currency, maxDigits) : number(amount);
}
