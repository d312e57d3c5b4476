// The pages of a list, labeled and in the language's digits.
import { Pagination } from '@mantine/core';
import { useFormats } from '../texts/formats.ts';
import { useTexts } from '../texts/texts.ts';

export interface PageLinksProps {
  /** Number of pages. */
  total: number;
  page: number;
  onChange: (page: number) => void;
}

export function PageLinks({ total, page, onChange }: PageLinksProps) {
  const t = useTexts('platform');
  const { number } = useFormats();
  return (
    <Pagination
      size="sm"
      total={total}
      value={page}
      onChange={onChange}
      siblings={1}
      getItemProps={(page) => ({
        'aria-label': t('table.page', { page: number(page) }),
        children: number(page),
      })}
      getControlProps={(control) => ({ 'aria-label': t(`table.${control}`) })}
    />
  );
}
