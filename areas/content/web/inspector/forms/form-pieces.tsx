// Parts that several block forms share.
import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { BlockOf, BlockType } from '../../../document.ts';
import { LineRow, NumberRow } from '#platform/web/editing/fields.tsx';
import classes from '../inspector.module.css';

export type BlockChange<T extends BlockType = BlockType> = (
  fields: Partial<BlockOf<T>>,
  name?: string,
) => void;

export interface BlockFormProps<T extends BlockType> {
  block: BlockOf<T>;
  change: BlockChange<T>;
}

/** Applies a patch. A value of undefined in the patch removes the field from the document. */
export function mergeDefined<Fields extends object>(
  fields: Fields,
  patch: { [Key in keyof Fields]?: Fields[Key] | undefined },
): Fields {
  const merged = { ...fields, ...patch };
  return Object.fromEntries(
    Object.entries(merged).filter(([, value]) => value !== undefined),
  ) as Fields;
}

export function WriteHint() {
  const t = useTexts('content');
  return (
    <Text size="sm" c="dimmed">
      {t('fields.writeHint')}
    </Text>
  );
}

export function Href({ value, onChange }: { value: string; onChange: (href: string) => void }) {
  const t = useTexts('content');
  return <LineRow label={t('fields.href')} value={value} isAddressed onChange={onChange} />;
}

/** Row for the width of a block in percent. */
export function WidthRow({
  value,
  onChange,
}: {
  value: number;
  onChange: (value: number) => void;
}) {
  const t = useTexts('content');
  return (
    <NumberRow
      label={t('style.width')}
      value={value}
      min={5}
      max={100}
      suffix=" %"
      onChange={(width) => onChange(width ?? 100)}
    />
  );
}

export interface ItemListProps<Item> {
  items: readonly Item[];
  max: number;
  getItemName: (item: Item, index: number) => string;
  addLabel: string;
  createItem: () => Item;
  /** Successive changes with the same `name` are undone in one step. */
  onChange: (items: Item[], name?: string) => void;
  /** Fields of one item. */
  fields: (item: Item, edit: (part: Partial<Item>, name: string) => void) => ReactNode;
}

/** A list of items that can be added, moved and removed. A moved item keeps its field elements. */
export function ItemList<Item>(props: ItemListProps<Item>) {
  const { items, max, getItemName, addLabel, createItem, onChange, fields } = props;
  const [keys, setKeys] = useItemKeys(items.length);
  const move = (from: number, to: number | null) => {
    setKeys(moveOrRemove(keys, from, to));
    onChange(moveOrRemove(items, from, to));
  };
  return (
    <>
      {items.map((item, index) => (
        <ItemFrame
          key={keys[index]}
          name={getItemName(item, index)}
          index={index}
          count={items.length}
          move={(to) => move(index, to)}
        >
          {fields(item, (patch, name) =>
            onChange(items.with(index, { ...item, ...patch }), `${name}${keys[index]}`),
          )}
        </ItemFrame>
      ))}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlus size={16} stroke={1.75} />}
        onClick={() => onChange([...items, createItem()])}
        disabled={items.length >= max}
      >
        {addLabel}
      </Button>
    </>
  );
}

let lastKey = 0;
const createKeys = (count: number) => Array.from({ length: Math.max(0, count) }, () => ++lastKey);

/** Returns a key per position of a list; items that undo restores get a new key at the end. */
function useItemKeys(count: number): [readonly number[], (keys: readonly number[]) => void] {
  const [keys, setKeys] = useState<readonly number[]>(() => createKeys(count));
  if (keys.length === count) return [keys, setKeys];
  const fitting = [...keys.slice(0, count), ...createKeys(count - keys.length)];
  setKeys(fitting);
  return [fitting, setKeys];
}

function ItemFrame({
  name,
  index,
  count,
  move,
  children,
}: {
  name: string;
  index: number;
  count: number;
  /** Moves the item to another position, or removes it if `to` is null. */
  move: (to: number | null) => void;
  children: ReactNode;
}) {
  const t = useTexts('content');
  const tool = (label: string, Icon: typeof IconTrash, to: number | null, isOff = false) => (
    <Tooltip label={label}>
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={`${label}: ${name}`}
        disabled={isOff}
        onClick={() => move(to)}
      >
        <Icon size={14} stroke={1.75} />
      </ActionIcon>
    </Tooltip>
  );
  return (
    <div className={classes.item} role="group" aria-label={name}>
      <div className={classes.itemHead}>
        <Text size="xs" fw={600}>
          {name}
        </Text>
        <Group gap={2}>
          {tool(t('tools.up'), IconArrowUp, index - 1, index === 0)}
          {tool(t('tools.down'), IconArrowDown, index + 1, index === count - 1)}
          {tool(t('tools.delete'), IconTrash, null)}
        </Group>
      </div>
      {children}
    </div>
  );
}

function moveOrRemove<Item>(list: readonly Item[], from: number, to: number | null): Item[] {
  const item = list[from] as Item;
  const others = list.toSpliced(from, 1);
  return to === null ? others : others.toSpliced(to, 0, item);
}
