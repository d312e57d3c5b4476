// Forms of blocks with lists: social links, menus, tables.
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import {
  type Align,
  DOCUMENT_LIMITS,
  type SocialNetwork,
  NETWORKS,
  SOCIAL_STYLES,
} from '../../../document.ts';
import { useNetworkNames } from '../../network-names.ts';
import { useEditingContext } from '#platform/web/editing/editing-context.ts';
import { CountRow } from '#platform/web/editing/count-row.tsx';
import { BorderRows } from '#platform/web/editing/box-fields.tsx';
import { ChoiceRow, LineRow, NumberRow, SwitchRow } from '#platform/web/editing/fields.tsx';
import { AlignRow } from '../text-fields.tsx';
import { type BlockFormProps, Href, ItemList, WriteHint } from './form-pieces.tsx';

export function SocialForm({ block, change }: BlockFormProps<'social'>) {
  const t = useTexts('content');
  const networkNames = useNetworkNames();
  const { links } = block;
  const free = NETWORKS.find((network) => !links.some((link) => link.network === network));
  return (
    <>
      <ItemList
        items={links}
        max={DOCUMENT_LIMITS.links}
        getItemName={({ network }) => networkNames[network]}
        addLabel={t('fields.addLink')}
        createItem={() => ({ network: free ?? 'website', href: '' })}
        onChange={(next, name) => change({ links: next }, name)}
        fields={({ network, href }, edit) => (
          <>
            <ChoiceRow<SocialNetwork>
              label={t('fields.network')}
              value={network}
              onChange={(next) => edit({ network: next }, 'network')}
              data={NETWORKS.map((value) => ({ value, label: networkNames[value] }))}
            />
            <Href value={href} onChange={(next) => edit({ href: next }, 'href')} />
          </>
        )}
      />
      <ChoiceRow
        label={t('fields.look')}
        value={block.look}
        onChange={(socialStyle) => change({ look: socialStyle })}
        data={SOCIAL_STYLES.map((value) => ({ value, label: t(`looks.${value}`) }))}
      />
      <ChoiceRow
        label={t('fields.shape')}
        value={block.shape}
        onChange={(shape) => change({ shape })}
        data={(['round', 'soft', 'square'] as const).map((value) => ({
          value,
          label: t(`shapes.${value}`),
        }))}
      />
      <NumberRow
        label={t('style.size')}
        value={block.icon_size}
        min={16}
        max={64}
        onChange={(size) => change({ icon_size: size ?? 32 }, 'icon')}
      />
      <NumberRow
        label={t('style.gap')}
        value={block.gap}
        max={64}
        onChange={(gap) => change({ gap: gap ?? 12 }, 'gap')}
      />
    </>
  );
}

export function MenuForm({ block, change }: BlockFormProps<'menu'>) {
  const t = useTexts('content');
  const { number } = useFormats();
  const { items } = block;
  return (
    <>
      <ItemList
        items={items}
        max={DOCUMENT_LIMITS.links}
        getItemName={(_, index) => t('fields.item', { at: number(index + 1) })}
        addLabel={t('fields.addItem')}
        createItem={() => ({ label: t('fresh.menu', { count: items.length + 1 }), href: '' })}
        onChange={(next, name) => change({ items: next }, name)}
        fields={({ label, href }, edit) => (
          <>
            <LineRow
              label={t('fields.label')}
              value={label}
              onChange={(next) => edit({ label: next }, 'label')}
            />
            <Href value={href} onChange={(next) => edit({ href: next }, 'href')} />
          </>
        )}
      />
      <LineRow
        label={t('fields.separator')}
        value={block.separator}
        onChange={(separator) => change({ separator: separator.slice(0, 10) }, 'separator')}
      />
      <NumberRow
        label={t('style.gap')}
        value={block.gap}
        max={100}
        onChange={(gap) => change({ gap: gap ?? 24 }, 'gap')}
      />
    </>
  );
}

export function TableForm({ block, change }: BlockFormProps<'table'>) {
  const t = useTexts('content');
  const { number } = useFormats();
  const { rows, aligns } = block;
  const blank = (count: number) => Array.from({ length: count }, () => '');
  const setRowCount = (count: number) =>
    change({
      rows: Array.from({ length: count }, (_, r) => rows[r] ?? blank(aligns.length)),
    });
  const setColumnCount = (count: number) =>
    change({
      aligns: Array.from({ length: count }, (_, c) => aligns[c] ?? 'start'),
      rows: rows.map((row) => [...row, ...blank(count)].slice(0, count)),
    });
  return (
    <>
      <WriteHint />
      <CountRow
        label={t('fields.rows')}
        value={rows.length}
        max={DOCUMENT_LIMITS.rows}
        onChange={setRowCount}
      />
      <CountRow
        label={t('fields.columns')}
        value={aligns.length}
        max={DOCUMENT_LIMITS.cells}
        onChange={setColumnCount}
      />
      {toColumns(aligns).map(({ name, align, index }) => (
        <AlignRow
          key={name}
          label={t('fields.column', { at: number(index + 1) })}
          value={align}
          onChange={(next) => change({ aligns: aligns.with(index, next) })}
        />
      ))}
      <SwitchRow
        label={t('fields.hasHeader')}
        value={block.has_header}
        onChange={(has_header) => change({ has_header })}
      />
      <EachRow block={block} change={change} />
      <SwitchRow
        label={t('fields.striped')}
        value={block.is_striped}
        onChange={(is_striped) => change({ is_striped })}
      />
      <BorderRows
        label={t('style.lineWidth')}
        value={block.line}
        isFixed
        onChange={(line) => line && change({ line }, 'line')}
      />
    </>
  );
}

/**
 * Selects a list: the first row below the header is repeated for each of its items. Shown if the
 * email has lists or the table refers to one.
 */
function EachRow({ block, change }: BlockFormProps<'table'>) {
  const t = useTexts('content');
  const { mergeTags } = useEditingContext();
  const chosenField = block.each ?? '';
  const lists = mergeTags.filter(({ kind }) => kind === 'list').map(({ name }) => name);
  if (lists.length === 0 && chosenField === '') return null;
  const names = [...new Set([...lists, ...(chosenField === '' ? [] : [chosenField])])];
  return (
    <ChoiceRow
      label={t('fields.each')}
      value={chosenField}
      onChange={(each) => change({ each })}
      data={[
        { value: '', label: t('fields.eachNone') },
        ...names.map((name) => ({ value: name, label: name })),
      ]}
    />
  );
}

/** Columns are keyed by position. */
const toColumns = (aligns: readonly Align[]) =>
  aligns.map((align, index) => ({ name: `column ${index}`, align, index }));
