// The variant of an experiment that a report is limited to. It is stored in the URL, so that it
// also applies in the other views of the report and in links to them.
import { Select } from '@mantine/core';
import { getVariantLetter } from '#areas/broadcasts/web/index.ts';
import { int, useSearchParams } from '#platform/web/api/address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';

/** The variant 0 means the whole campaign. */
const address = { variant: int(0), page: int(1) };

export type VariantQuery = { variant?: number };

/** Returns the query of the report's calls, which is empty if no variant is chosen. */
export function useVariantQuery(): VariantQuery {
  const [{ variant }] = useSearchParams(address);
  return variant === 0 ? {} : { variant };
}

/** Adds the chosen variant to a path. */
export const withVariant = (path: string, { variant }: VariantQuery): string =>
  variant === undefined ? path : `${path}?variant=${variant}`;

export function VariantFilter({ variants }: { variants: number }) {
  const t = useTexts('reports');
  const [{ variant }, set] = useSearchParams(address);
  const numbers = Array.from({ length: variants }, (_, index) => index + 1);
  return (
    <Select
      size="sm"
      w={220}
      mb="md"
      label={t('variant.label')}
      description={variant === 0 ? undefined : t('variant.hint')}
      value={String(variant)}
      allowDeselect={false}
      onChange={(value) => set({ variant: Number(value), page: 1 }, { replace: true })}
      data={[
        { value: '0', label: t('variant.all') },
        ...numbers.map((number) => ({
          value: String(number),
          label: t('variant.one', { letter: getVariantLetter(number) }),
        })),
      ]}
    />
  );
}
