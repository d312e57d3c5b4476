// The sort order and direction of a list, beside the search box. Orders without a column are also
// offered.
import { ActionIcon, Group, NativeSelect } from '@mantine/core';
import { IconSortAscending, IconSortDescending } from '@tabler/icons-react';
import type { Direction } from '../session/list-address.ts';
import { useTexts } from '../texts/texts.ts';

export interface SortChoice {
  order: string;
  label: string;
  /** The initial direction of a newly chosen order. */
  direction: Direction;
}

interface SortControlProps {
  choices: readonly SortChoice[];
  order: string;
  direction: Direction;
  onChange: (change: { order?: string; direction: Direction }) => void;
  className?: string | undefined;
}

export function SortControl(props: SortControlProps) {
  const { choices, order, direction, onChange, className } = props;
  const t = useTexts('platform');
  const isAscending = direction === 'asc';
  const Icon = isAscending ? IconSortAscending : IconSortDescending;
  return (
    <Group gap={4} wrap="nowrap" className={className ?? ''}>
      <NativeSelect
        flex={1}
        miw={0}
        aria-label={t('sort.label')}
        value={order}
        onChange={({ currentTarget: { value } }) =>
          onChange({
            order: value,
            direction: choices.find((choice) => choice.order === value)?.direction ?? 'desc',
          })
        }
        data={choices.map((choice) => ({ value: choice.order, label: choice.label }))}
      />
      <ActionIcon
        variant="default"
        size={36}
        aria-label={t(`sort.${direction}`)}
        title={t(`sort.${direction}`)}
        onClick={() => onChange({ direction: isAscending ? 'desc' : 'asc' })}
      >
        <Icon size={18} stroke={1.75} />
      </ActionIcon>
    </Group>
  );
}
