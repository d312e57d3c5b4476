// The own part of each kind of block in the inspector: what it says and where it leads.
import { ActionIcon, Button, Group, Text, Textarea, Tooltip } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useFormats } from '#platform/web/formats.ts';
import { useTexts } from '#platform/web/texts.ts';
import {
  type BlockOf,
  type BlockType,
  type ButtonLook,
  DOCUMENT_LIMITS,
  type Network,
  NETWORKS,
  SOCIAL_LOOKS,
} from '../../document.ts';
import { useBrand } from '../brand/use-brand.ts';
import { NETWORK_NAMES } from '../network-names.ts';
import { useEditorState } from '../store.ts';
import {
  AlignRow,
  BorderRows,
  ChoiceRow,
  ColourRow,
  LineRow,
  NumberRow,
  SwitchRow,
} from './fields.tsx';
import classes from './inspector.module.css';
import { PictureField } from './picture-field.tsx';

export type Change<T extends BlockType = BlockType> = (
  fields: Partial<BlockOf<T>>,
  name?: string,
) => void;

interface FormProps<T extends BlockType> {
  block: BlockOf<T>;
  change: Change<T>;
}
type Forms = { [T in BlockType]: (props: FormProps<T>) => ReactNode };

function WriteHint() {
  const t = useTexts('content');
  return (
    <Text size="sm" c="dimmed">
      {t('fields.writeHint')}
    </Text>
  );
}

function Href({ value, onChange }: { value: string; onChange: (href: string) => void }) {
  const t = useTexts('content');
  return <LineRow label={t('fields.href')} value={value} isAddressed onChange={onChange} />;
}

function ButtonRows({
  look,
  onChange,
  hasWidth = true,
}: {
  look: ButtonLook;
  onChange: (look: ButtonLook, name: string) => void;
  hasWidth?: boolean;
}) {
  const t = useTexts('content');
  const { button, dark } = useEditorState((state) => state.document.settings);
  const put = (part: { [Key in keyof ButtonLook]?: ButtonLook[Key] | undefined }) => {
    const all = Object.entries({ ...look, ...part }).filter(([, value]) => value !== undefined);
    onChange(Object.fromEntries(all) as ButtonLook, `button-${Object.keys(part).join()}`);
  };
  return (
    <>
      <ColourRow
        label={t('button.background')}
        value={look.background}
        usual={button.background}
        onChange={(background) => put({ background })}
      />
      <ColourRow
        label={t('button.color')}
        value={look.color}
        usual={button.color}
        onChange={(color) => put({ color })}
      />
      <ColourRow
        label={t('button.darkBackground')}
        value={look.dark_background}
        usual={dark?.button_background}
        onChange={(dark_background) => put({ dark_background })}
      />
      <ColourRow
        label={t('button.darkColor')}
        value={look.dark_color}
        usual={dark?.button_text}
        onChange={(dark_color) => put({ dark_color })}
      />
      <NumberRow
        label={t('style.radius')}
        value={look.radius}
        usual={button.radius}
        onChange={(radius) => put({ radius })}
      />
      <BorderRows
        label={t('style.border')}
        value={look.border}
        onChange={(border) => put({ border })}
      />
      {hasWidth && (
        <SwitchRow
          label={t('button.wide')}
          value={look.is_wide ?? false}
          onChange={(is_wide) => put({ is_wide })}
        />
      )}
    </>
  );
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
  /** To another place; null takes it out. */
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

function moved<Item>(list: readonly Item[], from: number, to: number | null): Item[] {
  const item = list[from] as Item;
  const rest = list.toSpliced(from, 1);
  return to === null ? rest : rest.toSpliced(to, 0, item);
}

function AddButton({ label, act, isOff }: { label: string; act: () => void; isOff?: boolean }) {
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconPlus size={16} stroke={1.75} />}
      onClick={act}
      disabled={isOff ?? false}
    >
      {label}
    </Button>
  );
}

function HeadingForm({ block, change }: FormProps<'heading'>) {
  const t = useTexts('content');
  return (
    <>
      <WriteHint />
      <ChoiceRow
        label={t('fields.level')}
        value={String(block.level) as '1' | '2' | '3'}
        onChange={(level) => change({ level: Number(level) as 1 | 2 | 3 })}
        data={(['1', '2', '3'] as const).map((value) => ({
          value,
          label: t(`levels.l${value}`),
        }))}
      />
    </>
  );
}

function TextForm() {
  return <WriteHint />;
}

function ImageForm({ block, change }: FormProps<'image'>) {
  const t = useTexts('content');
  return (
    <>
      <PictureField picture={block.image} onChange={(image, name) => change({ image }, name)} />
      <Href value={block.href} onChange={(href) => change({ href }, 'href')} />
      <NumberRow
        label={t('style.width')}
        value={block.width}
        min={5}
        max={100}
        suffix=" %"
        onChange={(width) => change({ width: width ?? 100 }, 'width')}
      />
    </>
  );
}

function ButtonForm({ block, change }: FormProps<'button'>) {
  const t = useTexts('content');
  return (
    <>
      <LineRow
        label={t('fields.label')}
        value={block.label}
        onChange={(label) => change({ label }, 'label')}
      />
      <Href value={block.href} onChange={(href) => change({ href }, 'href')} />
      <ButtonRows look={block.button} onChange={(button, name) => change({ button }, name)} />
    </>
  );
}

function DividerForm({ block, change }: FormProps<'divider'>) {
  const t = useTexts('content');
  return (
    <>
      <BorderRows
        label={t('style.lineWidth')}
        value={block.line}
        isFixed
        onChange={(line) => line && change({ line }, 'line')}
      />
      <NumberRow
        label={t('style.width')}
        value={block.width}
        min={5}
        max={100}
        suffix=" %"
        onChange={(width) => change({ width: width ?? 100 }, 'width')}
      />
    </>
  );
}

function SpacerForm({ block, change }: FormProps<'spacer'>) {
  const t = useTexts('content');
  return (
    <>
      <NumberRow
        label={t('style.height')}
        value={block.height}
        min={1}
        onChange={(height) => change({ height: height ?? 24 }, 'height')}
      />
      <NumberRow
        label={t('style.mobileHeight')}
        value={block.mobile_height ?? undefined}
        usual={block.height}
        onChange={(height) => change({ mobile_height: height ?? null }, 'mobile_height')}
      />
    </>
  );
}

function SocialForm({ block, change }: FormProps<'social'>) {
  const t = useTexts('content');
  const { links } = block;
  const free = NETWORKS.find((network) => !links.some((link) => link.network === network));
  return (
    <>
      {links.map((link, index) => (
        <ItemFrame
          // biome-ignore lint/suspicious/noArrayIndexKey: two links may be alike
          key={index}
          name={NETWORK_NAMES[link.network]}
          index={index}
          count={links.length}
          move={(to) => change({ links: moved(links, index, to) })}
        >
          <ChoiceRow<Network>
            label={t('fields.network')}
            value={link.network}
            onChange={(network) => change({ links: links.with(index, { ...link, network }) })}
            data={NETWORKS.map((value) => ({ value, label: NETWORK_NAMES[value] }))}
          />
          <Href
            value={link.href}
            onChange={(href) =>
              change({ links: links.with(index, { ...link, href }) }, `href${index}`)
            }
          />
        </ItemFrame>
      ))}
      <AddButton
        label={t('fields.addLink')}
        isOff={links.length >= DOCUMENT_LIMITS.links}
        act={() => change({ links: [...links, { network: free ?? 'website', href: '' }] })}
      />
      <ChoiceRow
        label={t('fields.look')}
        value={block.look}
        onChange={(look) => change({ look })}
        data={SOCIAL_LOOKS.map((value) => ({ value, label: t(`looks.${value}`) }))}
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

function MenuForm({ block, change }: FormProps<'menu'>) {
  const t = useTexts('content');
  const { number } = useFormats();
  const { items } = block;
  return (
    <>
      {items.map((item, index) => (
        <ItemFrame
          // biome-ignore lint/suspicious/noArrayIndexKey: two items may be alike
          key={index}
          name={t('fields.item', { at: number(index + 1) })}
          index={index}
          count={items.length}
          move={(to) => change({ items: moved(items, index, to) })}
        >
          <LineRow
            label={t('fields.label')}
            value={item.label}
            onChange={(label) =>
              change({ items: items.with(index, { ...item, label }) }, `label${index}`)
            }
          />
          <Href
            value={item.href}
            onChange={(href) =>
              change({ items: items.with(index, { ...item, href }) }, `href${index}`)
            }
          />
        </ItemFrame>
      ))}
      <AddButton
        label={t('fields.addItem')}
        isOff={items.length >= DOCUMENT_LIMITS.links}
        act={() =>
          change({
            items: [...items, { label: t('fresh.menu', { count: items.length + 1 }), href: '' }],
          })
        }
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

function VideoForm({ block, change }: FormProps<'video'>) {
  const t = useTexts('content');
  return (
    <>
      <Href value={block.href} onChange={(href) => change({ href }, 'href')} />
      <PictureField picture={block.poster} onChange={(poster, name) => change({ poster }, name)} />
      <NumberRow
        label={t('style.width')}
        value={block.width}
        min={5}
        max={100}
        suffix=" %"
        onChange={(width) => change({ width: width ?? 100 }, 'width')}
      />
    </>
  );
}

function ProductForm({ block, change }: FormProps<'product'>) {
  const t = useTexts('content');
  const line = (name: 'name' | 'price' | 'old_price' | 'label', label: string) => (
    <LineRow
      label={label}
      value={block[name]}
      onChange={(value) => change({ [name]: value }, name)}
    />
  );
  return (
    <>
      <ChoiceRow
        label={t('fields.layout')}
        value={block.layout}
        onChange={(layout) => change({ layout })}
        data={(['stacked', 'beside'] as const).map((value) => ({
          value,
          label: t(`layouts.${value}`),
        }))}
      />
      <PictureField picture={block.image} onChange={(image, name) => change({ image }, name)} />
      {line('name', t('fields.product'))}
      {line('price', t('fields.price'))}
      {line('old_price', t('fields.oldPrice'))}
      <Href value={block.href} onChange={(href) => change({ href }, 'href')} />
      {line('label', t('fields.buttonLabel'))}
      <ButtonRows
        look={block.button}
        hasWidth={false}
        onChange={(button, name) => change({ button }, name)}
      />
    </>
  );
}

function CouponForm({ block, change }: FormProps<'coupon'>) {
  const t = useTexts('content');
  const line = (name: 'title' | 'code' | 'label', label: string) => (
    <LineRow
      label={label}
      value={block[name]}
      onChange={(value) => change({ [name]: value }, name)}
    />
  );
  return (
    <>
      {line('title', t('fields.couponTitle'))}
      {line('code', t('fields.code'))}
      {line('label', t('fields.buttonLabel'))}
      <Href value={block.href} onChange={(href) => change({ href }, 'href')} />
      <ButtonRows
        look={block.button}
        hasWidth={false}
        onChange={(button, name) => change({ button }, name)}
      />
    </>
  );
}

function HtmlForm(props: FormProps<'html'>) {
  return <SourceField {...props} />;
}

function TableForm({ block, change }: FormProps<'table'>) {
  const t = useTexts('content');
  const { number } = useFormats();
  const { rows, aligns } = block;
  const blank = (count: number) => Array.from({ length: count }, () => '');
  const setRows = (count: number) =>
    change({
      rows: Array.from({ length: count }, (_, r) => rows[r] ?? blank(aligns.length)),
    });
  const setCells = (count: number) =>
    change({
      aligns: Array.from({ length: count }, (_, c) => aligns[c] ?? 'start'),
      rows: rows.map((row) => [...row, ...blank(count)].slice(0, count)),
    });
  return (
    <>
      <WriteHint />
      <NumberRow
        label={t('fields.rows')}
        value={rows.length}
        min={1}
        max={DOCUMENT_LIMITS.rows}
        suffix=""
        onChange={(count) => count && setRows(count)}
      />
      <NumberRow
        label={t('fields.columns')}
        value={aligns.length}
        min={1}
        max={DOCUMENT_LIMITS.cells}
        suffix=""
        onChange={(count) => count && setCells(count)}
      />
      {aligns.map((align, index) => (
        <AlignRow
          // biome-ignore lint/suspicious/noArrayIndexKey: columns have no names
          key={index}
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

function HeaderForm({ block, change }: FormProps<'header'>) {
  const t = useTexts('content');
  const brand = useBrand();
  return (
    <>
      <PictureField
        picture={block.image}
        usual={brand?.logo?.src}
        onChange={(image, name) => change({ image }, name)}
      />
      <Href value={block.href} onChange={(href) => change({ href }, 'href')} />
      <NumberRow
        label={t('style.width')}
        value={block.width}
        min={16}
        max={800}
        onChange={(width) => change({ width: width ?? 160 }, 'width')}
      />
    </>
  );
}

function FooterForm({ block, change }: FormProps<'footer'>) {
  const t = useTexts('content');
  return (
    <>
      <WriteHint />
      <SwitchRow
        label={t('fields.hasAddress')}
        value={block.has_address}
        onChange={(has_address) => change({ has_address })}
      />
      <LineRow
        label={t('fields.unsubscribeLabel')}
        placeholder={t('canvas.unsubscribe')}
        value={block.unsubscribe_label}
        onChange={(unsubscribe_label) => change({ unsubscribe_label }, 'unsubscribe')}
      />
      <LineRow
        label={t('fields.browserLabel')}
        description={t('fields.browserHint')}
        value={block.browser_label}
        onChange={(browser_label) => change({ browser_label }, 'browser')}
      />
    </>
  );
}

export const BLOCK_FORMS: Forms = {
  heading: HeadingForm,
  text: TextForm,
  image: ImageForm,
  button: ButtonForm,
  divider: DividerForm,
  spacer: SpacerForm,
  social: SocialForm,
  menu: MenuForm,
  video: VideoForm,
  product: ProductForm,
  coupon: CouponForm,
  html: HtmlForm,
  table: TableForm,
  header: HeaderForm,
  footer: FooterForm,
};

/** The source of an HTML block. */
function SourceField({ block, change }: { block: BlockOf<'html'>; change: Change<'html'> }) {
  const t = useTexts('content');
  return (
    <Textarea
      label={t('fields.html')}
      description={t('fields.htmlHint')}
      autosize
      minRows={8}
      maxRows={24}
      dir="ltr"
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
      value={block.html}
      onChange={(event) => change({ html: event.currentTarget.value }, 'html')}
    />
  );
}
