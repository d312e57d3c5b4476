// A finding about an SMS campaign as a sentence.
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { SmsFinding } from '../../contract.ts';

export function useFindingText() {
  const t = useTexts('sms');
  const { number, money, region, list } = useFormats();
  return ({ code, values = {} }: SmsFinding): string => {
    const { count, countries, currency, ...others } = values;
    const visibleValues: typeof values = { ...others };
    if (count !== undefined) visibleValues.total = number(Number(count));
    if (typeof countries === 'string')
      visibleValues.countries = list(
        countries.split(',').map((word) => (word === '?' ? word : region(word))),
      );
    for (const name of ['micros', 'free']) {
      if (values[name] !== undefined)
        visibleValues[name] = money(Number(values[name]) / 1_000_000, String(currency));
    }
    return t(`checks.${code}`, visibleValues);
  };
}
