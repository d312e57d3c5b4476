// The columns of the list: all available columns, and the user's selection.
import { Badge, Button, Checkbox, Stack, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconColumns3 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryAllFields } from '#areas/fields/web/index.ts';
import { useAmount } from '#platform/web/texts/amount.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { TableColumn } from '#platform/web/ui/data-table.tsx';
import { LateSheet } from '#platform/web/ui/late-sheet.tsx';
import type { SubscriberListItem, Subscriber } from '../contract.ts';
import { Status } from './status.tsx';
import classes from './subscribers-screen.module.css';

const CHOOSABLE = [
  'status',
  'sms_status',
  'groups',
  'firstname',
  'lastname',
  'phone',
  'location',
  'source',
  'created',
  'modified',
  'last_open',
  'last_click',
  'orders',
  'revenue',
] as const;
/** These values are requested from the server only while one of the columns is shown. */
const ENGAGEMENT_COLUMNS = ['last_open', 'last_click', 'orders', 'revenue'] as const;
const SORTABLE = new Set<string>(['created', 'modified']);
const ALIGNED_AT_END = new Set<string>([...SORTABLE, ...ENGAGEMENT_COLUMNS]);
const DEFAULT_COLUMNS = ['status', 'groups', 'firstname', 'lastname', 'created'];

/** Returns the selected columns for the table, and the button that selects them. */
export function useColumns() {
  const [chosenIds, setChosenIds] = useLocalStorage<string[]>({
    key: 'sendloom.audience.columns',
    defaultValue: DEFAULT_COLUMNS,
    // With true, the list would be requested twice, the first time without these columns.
    getInitialValueInEffect: false,
  });
  const allColumns = [...useBuiltInColumns(), ...useFieldColumns()];
  const toggle = (id: string) =>
    setChosenIds((previous) =>
      previous.includes(id) ? previous.filter((columnId) => columnId !== id) : [...previous, id],
    );
  return {
    columns: allColumns.filter((column) => chosenIds.includes(column.id)),
    isEngagementShown: ENGAGEMENT_COLUMNS.some((id) => chosenIds.includes(id)),
    chosenIds,
    setChosenIds,
    chooser: <Chooser allColumns={allColumns} chosenIds={chosenIds} toggle={toggle} />,
  };
}

function useBuiltInColumns(): TableColumn<SubscriberListItem>[] {
  const t = useTexts('audience');
  const { list, number } = useFormats();
  const amount = useAmount();
  const cells: Record<(typeof CHOOSABLE)[number], TableColumn<SubscriberListItem>['cell']> = {
    status: (subscriber) => <Status status={subscriber.status.email} />,
    sms_status: (subscriber) => <Status status={subscriber.status.sms} />,
    groups: (subscriber) => <Groups groups={subscriber.subscriber_tags} />,
    firstname: (subscriber) => <bdi>{subscriber.firstname}</bdi>,
    lastname: (subscriber) => <bdi>{subscriber.lastname}</bdi>,
    phone: (subscriber) => <bdi dir="ltr">{subscriber.phone}</bdi>,
    location: (subscriber) => subscriber.location ?? subscriber.country,
    source: (subscriber) => t(`sources.${subscriber.source}`, { defaultValue: subscriber.source }),
    created: (subscriber) => <Day at={subscriber.created} />,
    modified: (subscriber) => <Day at={subscriber.modified} />,
    last_open: ({ engagement }) => engagement?.last_open && <Day at={engagement.last_open} />,
    last_click: ({ engagement }) => engagement?.last_click && <Day at={engagement.last_click} />,
    orders: ({ engagement }) => {
      const orders = engagement?.worth?.currencies.reduce(
        (total, currency) => total + currency.orders,
        0,
      );
      return orders ? number(orders) : null;
    },
    revenue: ({ engagement }) =>
      engagement?.worth &&
      list(
        engagement.worth.currencies.map((currency) => amount(currency.revenue, currency.currency)),
      ),
  };
  return CHOOSABLE.map((id): TableColumn<SubscriberListItem> => {
    return {
      id,
      header: t(`columns.${id}`),
      cell: cells[id],
      // In narrow windows, the second line shows the status.
      isWide: true,
      ...(SORTABLE.has(id) ? { sort: id } : {}),
      ...(ALIGNED_AT_END.has(id) ? { align: 'end' as const } : {}),
    };
  });
}

function useFieldColumns(): TableColumn<SubscriberListItem>[] {
  const { birthday, date, number } = useFormats();
  const fields = useQuery(queryAllFields()).data?.data ?? [];
  return fields.map(
    (field): TableColumn<SubscriberListItem> => ({
      id: `field:${field.id}`,
      header: field.title,
      isWide: true,
      ...(field.type === 'number' ? { align: 'end' as const } : {}),
      cell: (subscriber) => {
        const value = subscriber.columns.find((column) => column.id === field.id)?.value;
        if (value === undefined) return null;
        if (field.type === 'number') return number(Number(value));
        if (field.type === 'birthday') return birthday(String(value));
        return field.type === 'datetime' ? (
          date(`${String(value).replace(' ', 'T')}Z`, 'UTC')
        ) : (
          <bdi>{String(value)}</bdi>
        );
      },
    }),
  );
}

interface ChooserProps {
  allColumns: TableColumn<SubscriberListItem>[];
  chosenIds: string[];
  toggle: (id: string) => void;
}

function Chooser({ allColumns, chosenIds, toggle }: ChooserProps) {
  const t = useTexts('audience');
  const [isOpen, setOpen] = useState(false);
  return (
    <LateSheet
      isOpen={isOpen}
      onChange={setOpen}
      label={t('columns.choose')}
      width={240}
      target={
        <Button variant="default" leftSection={<IconColumns3 size={18} stroke={1.75} />}>
          {t('columns.title')}
        </Button>
      }
    >
      <Stack gap="xs" className={classes.chooser}>
        {allColumns.map((column) => (
          <Checkbox
            key={column.id}
            label={column.header}
            checked={chosenIds.includes(column.id)}
            onChange={() => toggle(column.id)}
          />
        ))}
      </Stack>
    </LateSheet>
  );
}

function Day({ at }: { at: string }) {
  const { date, dateTime } = useFormats();
  return (
    <time dateTime={at} title={dateTime(at)} className={classes.day}>
      {date(at)}
    </time>
  );
}

const SHOWN_GROUPS = 1;

function Groups({ groups }: { groups: Subscriber['subscriber_tags'] }) {
  const { number } = useFormats();
  const hiddenGroups = groups.slice(SHOWN_GROUPS);
  return (
    <span className={classes.groups}>
      {groups.slice(0, SHOWN_GROUPS).map((group) => (
        <Badge key={group.id} variant="default" tt="none" fw={500} maw={160}>
          {group.title}
        </Badge>
      ))}
      {hiddenGroups.length > 0 && (
        <Text span size="xs" c="dimmed" title={hiddenGroups.map((group) => group.title).join(', ')}>
          {`+${number(hiddenGroups.length)}`}
        </Text>
      )}
    </span>
  );
}
