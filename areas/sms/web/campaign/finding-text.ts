// A finding about an SMS campaign as a sentence.
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { SmsFinding } from '../../contract.ts';

export function useFindingText() {
  const t = useTexts('sms');
  const { number, money, region, list } = useFormats();
  return ({ code, values = {} }: SmsFinding): string => {
    const { count, countries, currency, ...others } = values;
    const shown: typeof values = { ...others };
    if (count !== undefined) shown.total = number(Number(count));
    if (typeof countries === 'string')
      shown.countries = list(
        countries.split(',').map((part) => (part === '?' ? part : region(part))),
      );
    for (const name of ['micros', 'free']) {
      if (values[name] !== undefined)
        shown[name] = money(Number(values[name]) / 1_000_000, String(currency));
    }
    return t(`checks.${code}`, shown);
  };
}
