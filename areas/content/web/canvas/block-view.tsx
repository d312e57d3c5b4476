// A block as the mail will show it. One function for each kind, as in the renderer.
import type { CSSProperties, ReactNode } from 'react';
import { useTexts } from '#platform/web/texts.ts';
import { useSession } from '#platform/web/session.ts';
import type { Block, BlockOf, BlockType, Colour, MailSettings, Picture } from '../../document.ts';
import { useBrand } from '../brand/use-brand.ts';
import { NETWORK_NAMES } from '../network-names.ts';
import { useMailFacts } from '../editor-props.ts';
import { useEditor } from '../store.ts';
import { PicturePlace } from '../images/picture-place.tsx';
import classes from './blocks.module.css';
import { borderStyle, buttonStyle, justify, textLook, textStyle } from './look.ts';
import { OwnHtml } from './own-html.tsx';
import { Words } from './words.tsx';

interface ViewProps {
  block: Block;
  settings: MailSettings;
  colour: Colour;
  isNarrow: boolean;
}
type BlockViewProps<T extends BlockType> = Omit<ViewProps, 'block'> & { block: BlockOf<T> };

type Views = { [T in BlockType]: (props: BlockViewProps<T>) => ReactNode };

export function BlockView(props: ViewProps) {
  const View = VIEWS[props.block.type] as (props: ViewProps) => ReactNode;
  return <View {...props} />;
}

const CENTRED: readonly BlockType[] = [
  'image',
  'video',
  'header',
  'social',
  'menu',
  'coupon',
  'footer',
  'divider',
];

function alignOf({ block, isNarrow }: ViewProps) {
  const usual = CENTRED.includes(block.type) ? 'center' : 'start';
  return (isNarrow ? block.mobile.align : undefined) ?? block.style.align ?? usual;
}

function wordStyle(props: ViewProps): CSSProperties {
  const { block, settings, colour, isNarrow } = props;
  const look = textLook(block, settings);
  const size = (isNarrow ? block.mobile.size : undefined) ?? look.size;
  return { ...textStyle({ ...look, size }), color: colour, textAlign: alignOf(props) };
}

/** A text with a border or round corners stands in a box of its own. */
function boxStyle({ style }: Block): CSSProperties {
  if (!style.border && !style.radius) return {};
  return {
    border: borderStyle(style.border),
    borderRadius: style.radius,
    padding: 16,
    background: style.background,
  };
}

function useHtmlChange(block: Block) {
  const { editBlock } = useEditor();
  return (html: string) =>
    editBlock(block.id, (now) => ('html' in now ? { ...now, html } : now), 'html');
}

function TextWords(props: BlockViewProps<'text' | 'heading' | 'footer'> & { empty?: string }) {
  const { block } = props;
  const change = useHtmlChange(block);
  return (
    <Words
      id={block.id}
      html={block.html}
      isLine={block.type === 'heading'}
      {...(props.empty === undefined ? {} : { empty: props.empty })}
      style={{ ...wordStyle(props), ...boxStyle(block) }}
      onChange={change}
    />
  );
}

function PictureView({
  image,
  width,
  props,
  isVideo,
}: {
  image: Picture;
  /** Of the block's room. */
  width: string;
  props: ViewProps;
  isVideo?: boolean;
}) {
  const { block } = props;
  return (
    <div className={classes.row} style={{ justifyContent: justify[alignOf(props)] }}>
      <PicturePlace
        id={block.id}
        picture={image}
        isVideo={isVideo ?? false}
        style={{
          width,
          border: borderStyle(block.style.border),
          borderRadius: block.style.radius,
        }}
      />
    </div>
  );
}

function InlineButton({ props }: { props: BlockViewProps<'product'> | BlockViewProps<'coupon'> }) {
  const { block, settings } = props;
  if (block.label.trim() === '') return null;
  return <span style={buttonStyle(block.button, block, settings, true)}>{block.label}</span>;
}

function ProductWords(props: BlockViewProps<'product'>) {
  const { block, settings, colour } = props;
  const t = useTexts('content');
  const change = useHtmlChange(block);
  const look = textLook(block, settings);
  const align = block.layout === 'beside' ? 'start' : (block.style.align ?? 'start');
  return (
    <div style={{ color: colour, textAlign: align }}>
      {block.name && (
        <div
          style={textStyle({
            ...look,
            font: settings.heading.font,
            size: look.size + 2,
            weight: 700,
            line_height: 1.3,
          })}
        >
          {block.name}
        </div>
      )}
      {(block.price || block.old_price) && (
        <div style={{ ...textStyle({ ...look, weight: 700 }), paddingBlockStart: 4 }}>
          {block.price} {block.old_price && <s style={{ opacity: 0.65 }}>{block.old_price}</s>}
        </div>
      )}
      <Words
        id={block.id}
        html={block.html}
        empty={t('canvas.describe')}
        style={{ ...textStyle({ ...look, size: look.size - 1 }), paddingBlockStart: 6 }}
        onChange={change}
      />
    </div>
  );
}

function HeadingView(props: BlockViewProps<'heading'>) {
  return <TextWords {...props} />;
}

function TextView(props: BlockViewProps<'text'>) {
  return <TextWords {...props} />;
}

function ImageView(props: BlockViewProps<'image'>) {
  return <PictureView image={props.block.image} width={`${props.block.width}%`} props={props} />;
}

function VideoView(props: BlockViewProps<'video'>) {
  return (
    <PictureView image={props.block.poster} width={`${props.block.width}%`} props={props} isVideo />
  );
}

function ButtonView(props: BlockViewProps<'button'>) {
  const { block, settings } = props;
  const t = useTexts('content');
  return (
    <div className={classes.row} style={{ justifyContent: justify[alignOf(props)] }}>
      <span
        style={buttonStyle(block.button, block, settings)}
        data-dim={block.label === '' || undefined}
      >
        {block.label || t('fresh.button')}
      </span>
    </div>
  );
}

function DividerView(props: BlockViewProps<'divider'>) {
  return (
    <div className={classes.row} style={{ justifyContent: justify[alignOf(props)] }}>
      <div
        style={{ width: `${props.block.width}%`, borderBlockStart: borderStyle(props.block.line) }}
      />
    </div>
  );
}

function SpacerView({ block, isNarrow }: BlockViewProps<'spacer'>) {
  return <div style={{ height: (isNarrow ? block.mobile_height : null) ?? block.height }} />;
}

function SocialView(props: BlockViewProps<'social'>) {
  const { block } = props;
  const t = useTexts('content');
  return (
    <div
      className={classes.row}
      style={{ justifyContent: justify[alignOf(props)], gap: block.gap }}
    >
      {block.links.length === 0 && <span className={classes.hint}>{t('canvas.noLinks')}</span>}
      {block.links.map(({ network, href }, index) => (
        <img
          // biome-ignore lint/suspicious/noArrayIndexKey: two links may be alike
          key={`${network}${index}`}
          src={`/i/s/${block.look}-${block.shape}/${network}.png`}
          alt={NETWORK_NAMES[network]}
          width={block.icon_size}
          height={block.icon_size}
          data-dim={href === '' || undefined}
        />
      ))}
    </div>
  );
}

function MenuView(props: BlockViewProps<'menu'>) {
  const { block } = props;
  const t = useTexts('content');
  return (
    <div style={{ ...wordStyle(props), lineHeight: 1.5 }}>
      {block.items.length === 0 && <span className={classes.hint}>{t('canvas.noItems')}</span>}
      {block.items.map(({ label }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two items may be alike
        <span key={index}>
          {index > 0 && block.separator}
          <span style={{ display: 'inline-block', padding: `4px ${Math.round(block.gap / 2)}px` }}>
            {label}
          </span>
        </span>
      ))}
    </div>
  );
}

function ProductView(props: BlockViewProps<'product'>) {
  const { block, settings } = props;
  const picture = <PicturePlace id={block.id} picture={block.image} style={{ width: '100%' }} />;
  if (block.layout === 'beside') {
    return (
      <div className={classes.beside}>
        <div>{picture}</div>
        <div>
          <ProductWords {...props} />
          <InlineButton props={props} />
        </div>
      </div>
    );
  }
  return (
    <>
      {picture}
      <div style={{ paddingBlockStart: 12 }}>
        <ProductWords {...props} />
      </div>
      {block.label.trim() !== '' && (
        <div
          className={classes.row}
          style={{ justifyContent: justify[block.style.align ?? 'start'], paddingBlockStart: 12 }}
        >
          <span style={buttonStyle(block.button, block, settings)}>{block.label}</span>
        </div>
      )}
    </>
  );
}

function CouponView(props: BlockViewProps<'coupon'>) {
  const { block, settings, colour } = props;
  const t = useTexts('content');
  const change = useHtmlChange(block);
  const look = { ...textLook(block, settings), line_height: 1.4 };
  return (
    <div
      style={{
        padding: 24,
        border: borderStyle(block.style.border),
        borderRadius: block.style.radius,
        color: colour,
        textAlign: alignOf(props),
      }}
    >
      {block.title && (
        <div style={textStyle({ ...look, size: look.size + 2, weight: 700 })}>{block.title}</div>
      )}
      <div
        dir="ltr"
        style={{
          ...textStyle({
            ...look,
            font: 'Courier New',
            size: Math.round(look.size * 1.5),
            weight: 700,
          }),
          paddingBlock: 12,
          letterSpacing: 3,
        }}
      >
        {block.code}
      </div>
      <Words
        id={block.id}
        html={block.html}
        empty={t('canvas.terms')}
        style={textStyle({ ...look, size: look.size - 2, weight: 400 })}
        onChange={change}
      />
      <InlineButton props={props} />
    </div>
  );
}

function HtmlView({ block }: BlockViewProps<'html'>) {
  return <OwnHtml html={block.html} />;
}

function TableView(props: BlockViewProps<'table'>) {
  const { block, settings, colour } = props;
  const { editBlock } = useEditor();
  const look = textLook(block, settings);
  const put = (r: number, c: number) => (html: string) =>
    editBlock(
      block.id,
      (now) =>
        now.type === 'table'
          ? { ...now, rows: now.rows.map((row, i) => (i === r ? row.with(c, html) : row)) }
          : now,
      `${r}.${c}`,
    );
  return (
    <table className={classes.table}>
      <tbody>
        {block.rows.map((row, r) => {
          const isHead = block.has_header && r === 0;
          const isStripe = block.is_striped && !isHead && r % 2 === 1;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names
            <tr key={r} data-stripe={isStripe || undefined}>
              {row.map((cell, c) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells have no names
                <td key={c} style={{ borderBlockEnd: borderStyle(block.line) }}>
                  <Words
                    id={block.id}
                    part={`${r}.${c}`}
                    html={cell}
                    isLine
                    empty="…"
                    style={{
                      ...textStyle({ ...look, weight: isHead ? 700 : 400 }),
                      color: colour,
                      textAlign: block.aligns[c] ?? 'start',
                    }}
                    onChange={put(r, c)}
                  />
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** As the mail will say it: the account's name, else the sender's. */
function useCompany(): string {
  const t = useTexts('content');
  const { account } = useSession();
  const { company } = useMailFacts();
  return account.title || company || t('canvas.company');
}

function HeaderView(props: BlockViewProps<'header'>) {
  const { block, settings, colour } = props;
  const brand = useBrand();
  const company = useCompany();
  const image = block.image.src === '' ? brand?.logo : block.image;
  const name = { font: settings.heading.font, size: 22, line_height: 1.3, weight: 700 };
  return (
    <div className={classes.row} style={{ justifyContent: justify[alignOf(props)] }}>
      {image?.src ? (
        <PicturePlace id={block.id} picture={image} style={{ width: block.width }} />
      ) : (
        <span style={{ ...textStyle(name), color: colour }}>{company}</span>
      )}
    </div>
  );
}

function FooterView(props: BlockViewProps<'footer'>) {
  const { block } = props;
  const t = useTexts('content');
  const company = useCompany();
  const style = wordStyle(props);
  return (
    <div className={classes.footer}>
      <TextWords {...props} empty={t('canvas.whyThisMail')} />
      {block.has_address && (
        <div style={style}>
          {company}, <span className="merge-tag">{t('canvas.address')}</span>
        </div>
      )}
      <div style={style}>
        <u>{block.unsubscribe_label || t('canvas.unsubscribe')}</u>
        {block.browser_label && (
          <>
            {' · '}
            <u>{block.browser_label}</u>
          </>
        )}
      </div>
    </div>
  );
}

const VIEWS: Views = {
  heading: HeadingView,
  text: TextView,
  image: ImageView,
  video: VideoView,
  button: ButtonView,
  divider: DividerView,
  spacer: SpacerView,
  social: SocialView,
  menu: MenuView,
  product: ProductView,
  coupon: CouponView,
  html: HtmlView,
  table: TableView,
  header: HeaderView,
  footer: FooterView,
};
