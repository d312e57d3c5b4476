// Rendering of a block in the canvas, one function per type as in the renderer.
import type { ReactNode } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { BlockType } from '../../document.ts';
import { useBrand } from '../brand/use-brand.ts';
import { ImageSlot } from '../images/image-slot.tsx';
import classes from './blocks.module.css';
import { CountdownView } from './countdown-view.tsx';
import { EventView } from './event-view.tsx';
import { MenuView, SocialView, TableView } from './list-views.tsx';
import { borderStyle, buttonStyle, justify, textStyle } from './canvas-styles.ts';
import { CustomHtmlView } from './html-view.tsx';
import { CouponView, ProductView } from './shop-views.tsx';
import {
  resolveAlign,
  type BlockViewProps,
  DocumentImageView,
  TextContent,
  useCompany,
  type ViewProps,
  textBlockStyle,
} from './view-pieces.tsx';

type Views = { [T in BlockType]: (props: BlockViewProps<T>) => ReactNode };

export function BlockView(props: ViewProps) {
  const View = VIEWS[props.block.type] as (props: ViewProps) => ReactNode;
  return <View {...props} />;
}

function HeadingView(props: BlockViewProps<'heading'>) {
  return <TextContent {...props} />;
}

function TextView(props: BlockViewProps<'text'>) {
  return <TextContent {...props} />;
}

function ImageView(props: BlockViewProps<'image'>) {
  return (
    <DocumentImageView image={props.block.image} width={`${props.block.width}%`} props={props} />
  );
}

function VideoView(props: BlockViewProps<'video'>) {
  return (
    <DocumentImageView
      image={props.block.poster}
      width={`${props.block.width}%`}
      props={props}
      isVideo
    />
  );
}

function ButtonView(props: BlockViewProps<'button'>) {
  const { block, settings } = props;
  const t = useTexts('content');
  return (
    <div className={classes.row} style={{ justifyContent: justify[resolveAlign(props)] }}>
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
    <div className={classes.row} style={{ justifyContent: justify[resolveAlign(props)] }}>
      <div
        style={{ width: `${props.block.width}%`, borderBlockStart: borderStyle(props.block.line) }}
      />
    </div>
  );
}

function SpacerView({ block, isNarrow }: BlockViewProps<'spacer'>) {
  return <div style={{ height: (isNarrow ? block.mobile_height : null) ?? block.height }} />;
}

function HtmlView({ block }: BlockViewProps<'html'>) {
  return <CustomHtmlView html={block.html} />;
}

function HeaderView(props: BlockViewProps<'header'>) {
  const { block, settings, color } = props;
  const brand = useBrand();
  const company = useCompany();
  const image = block.image.src === '' ? brand?.logo : block.image;
  const name = { font: settings.heading.font, size: 22, line_height: 1.3, weight: 700 };
  return (
    <div className={classes.row} style={{ justifyContent: justify[resolveAlign(props)] }}>
      {image?.src ? (
        <ImageSlot id={block.id} image={image} style={{ width: block.width }} />
      ) : (
        <span style={{ ...textStyle(name), color: color }}>{company}</span>
      )}
    </div>
  );
}

function FooterView(props: BlockViewProps<'footer'>) {
  const { block } = props;
  const t = useTexts('content');
  const company = useCompany();
  const style = textBlockStyle(props);
  return (
    <div className={classes.footer}>
      <TextContent {...props} empty={t('canvas.whyThisMail')} />
      {block.has_address && (
        <div style={style}>
          {company}, <span className="merge-tag">{t('canvas.address')}</span>
        </div>
      )}
      <div style={style}>
        <u>{block.unsubscribe_label || t('canvas.unsubscribe')}</u>
        {block.preferences_label && (
          <>
            {' · '}
            <u>{block.preferences_label}</u>
          </>
        )}
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
  event: EventView,
  countdown: CountdownView,
  html: HtmlView,
  table: TableView,
  header: HeaderView,
  footer: FooterView,
};
