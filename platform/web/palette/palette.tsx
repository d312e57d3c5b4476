// The command palette: finds objects, actions and settings by a few letters of their names.
import { Modal } from '@mantine/core';
import { IconArrowRight, IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useStore } from '../store.ts';
import { useTexts } from '../texts/texts.ts';
import { type Item, useItems } from './items.ts';
import { palette, paletteOpen } from './open.ts';
import classes from './palette.module.css';
import { remember } from './recent.ts';
import { useOpened } from '../hooks/use-opened.ts';

export default function Palette() {
  const t = useTexts('platform');
  const isOpen = useStore(paletteOpen);
  // The palette opens empty, even while its previous opening fades out.
  const [opened, setOpened] = useState(0);
  useEffect(() => {
    if (isOpen) setOpened((times) => times + 1);
  }, [isOpen]);
  return (
    <Modal
      opened={useOpened(isOpen)}
      onClose={palette.close}
      withCloseButton={false}
      padding={0}
      size={600}
      yOffset="12vh"
      centered={false}
      attributes={{ content: { 'aria-label': t('palette.title') } }}
    >
      <Finder key={opened} />
    </Modal>
  );
}

function Finder() {
  const t = useTexts('platform');
  const navigate = useNavigate();
  const listId = useId();
  const [term, setTerm] = useState('');
  const [at, setAt] = useState(0);
  const { items, isSearching } = useItems(term);
  const selectedItem = items[Math.min(at, items.length - 1)];
  const openItem = (item: Item) => {
    palette.close();
    remember(item);
    item.run?.();
    if (item.to) void navigate({ to: item.to });
  };
  const press = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined && items.length > 0) {
      event.preventDefault();
      setAt((now) => (Math.min(now, items.length - 1) + step + items.length) % items.length);
    }
    if (event.key === 'Enter' && selectedItem) openItem(selectedItem);
  };
  return (
    <>
      <div className={classes.field}>
        <IconSearch size={18} stroke={1.75} aria-hidden="true" />
        <input
          className={classes.input}
          data-autofocus
          role="combobox"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={selectedItem && `${listId}-${selectedItem.id}`}
          aria-label={t('palette.title')}
          placeholder={t('palette.placeholder')}
          value={term}
          onChange={(event) => {
            setTerm(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={press}
        />
      </div>
      <Options
        {...{ listId, items, selected: selectedItem, open: openItem, onKeyDown: press }}
        select={setAt}
      />
      {items.length === 0 && !isSearching && (
        <p className={classes.nothing} role="status">
          {t('selects.nothingFound')}
        </p>
      )}
    </>
  );
}

interface OptionsProps {
  listId: string;
  items: readonly Item[];
  selected: Item | undefined;
  open: (item: Item) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  select: (index: number) => void;
}

/**
 * Lists the options. The focus stays in the field; arrows move through the options, as in a
 * combobox.
 */
function Options({ listId, items, selected, open, onKeyDown, select }: OptionsProps) {
  const t = useTexts('platform');
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  });
  return (
    <div
      id={listId}
      role="listbox"
      aria-label={t('palette.title')}
      className={classes.list}
      ref={list}
    >
      {items.map((item) => (
        <div
          key={item.id}
          id={`${listId}-${item.id}`}
          role="option"
          tabIndex={-1}
          aria-selected={item === selected}
          className={classes.item}
          onClick={() => open(item)}
          onKeyDown={onKeyDown}
          onPointerMove={() => select(items.indexOf(item))}
        >
          <ItemLabel item={item} />
        </div>
      ))}
    </div>
  );
}

function ItemLabel({ item }: { item: Item }) {
  return (
    <>
      {item.icon ? (
        <item.icon size={18} stroke={1.75} />
      ) : (
        <IconArrowRight size={18} stroke={1.75} className={classes.arrow} />
      )}
      <bdi className={classes.label}>{item.label}</bdi>
      {item.detail && <bdi className={classes.detail}>{item.detail}</bdi>}
      {item.kind && <span className={classes.kind}>{item.kind}</span>}
    </>
  );
}
